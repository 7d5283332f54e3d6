"""TLC's table of words, in the order in which it meets them."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

_DUMP = """
import java.lang.reflect.Field;
import java.util.*;

public class Dump {
    public static void main(String[] given) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Field of = util.UniqueString.class.getDeclaredField("internTbl");
                of.setAccessible(true);
                Field table = of.get(null).getClass().getDeclaredField("table");
                table.setAccessible(true);
                TreeMap<Integer, String> words = new TreeMap<>();
                for (util.UniqueString one : (util.UniqueString[]) table.get(of.get(null)))
                    if (one != null) words.put(one.getTok(), one.toString());
                java.nio.file.Files.write(java.nio.file.Path.of(given[0]), words.values());
            } catch (Exception error) {
                throw new RuntimeException(error);
            }
        }));
        tlc2.TLC.main(Arrays.copyOfRange(given, 1, given.length));
    }
}
"""


def table(module: Path, config: Path, jars: list[str], libraries: str = "") -> list[str]:
    """TLC's table of words once it has checked a module, in its order."""
    with tempfile.TemporaryDirectory() as folder:
        program, out = Path(folder, "Dump.java"), Path(folder, "words")
        program.write_text(_DUMP)
        options = ["-workers", "1", "-metadir", folder, "-config", str(config), str(module)]
        command = ["java", f"-DTLA-Library={libraries}", "-cp", ":".join(jars), str(program), str(out)]
        # What it knows is written where it is ended, too.
        limited = ["timeout", "40", *command, *options]
        subprocess.run(limited, cwd=module.parent, capture_output=True, check=False)
        return out.read_text().split("\n")[:-1]
