import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import tlc2.TLC;
import tlc2.TLCGlobals;
import tlc2.tool.Action;
import tlc2.tool.TLCState;
import tlc2.tool.impl.FastTool;
import tlc2.util.FP64;
import tlc2.value.IValue;
import util.SimpleFilenameToStream;
import util.ToolIO;
import util.UniqueString;

/** Asks TLC of many modules in one process. Each line of the input is a folder with T.tla and T.cfg, behind
 * "values " (each invariant, any expression, is evaluated in each initial state) or "check " (TLC's search). */
public class TlcBatch {
    public static void main(String[] words) throws Exception {
        FP64.Init();
        PrintStream answers = System.out;
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            String folder = line.substring(line.indexOf(' ') + 1);
            TLCGlobals.mainChecker = null;
            TLCGlobals.metaDir = null;
            TLCState.Empty = null;
            try (PrintStream said = new PrintStream(new File(folder, "tlc.out"))) {
                System.setOut(said);
                System.setErr(said);
                ToolIO.out = said;
                ToolIO.err = said;
                try {
                    if (line.startsWith("values ")) values(folder, said);
                    else check(folder, said);
                } catch (Throwable error) {
                    said.println("\nFAILED " + error);
                    error.printStackTrace(said);
                }
            }
            answers.println(folder);
            answers.flush();
        }
    }

    private static void check(String folder, PrintStream said) throws Exception {
        TLC tlc = new TLC();
        String main = folder + "/T.tla";
        if (!tlc.handleParameters(new String[] {"-tool", "-workers", "1", "-metadir", folder + "/states", "-config", folder + "/T.cfg", main})) {
            said.println("\nFAILED parameters");
            return;
        }
        tlc.setResolver(new SimpleFilenameToStream(folder));
        said.println("\nCODE " + tlc.process());
    }

    private static void values(String folder, PrintStream said) {
        FastTool tool = new FastTool("", "T", "T", new SimpleFilenameToStream(folder));
        List<TLCState> states = new ArrayList<>();
        try {
            tool.getInitStates(state -> {
                states.add(state);
                return null;
            });
        } catch (Throwable error) {
            said.println("\nNOT ALL STATES " + error);
        }
        Action[] asked = tool.getInvariants();
        String[] names = tool.getInvNames();
        for (TLCState state : states) {
            said.println("\nSTATE " + state.lookup(UniqueString.of("n")));
            for (int n = 0; n < asked.length; n++) {
                String value;
                try {
                    IValue found = tool.eval(asked[n].pred, asked[n].con, state);
                    found.fingerPrint(FP64.New()); // lists what is not listed yet, which may be an error
                    value = "VALUE " + found;
                } catch (Throwable error) {
                    value = "ERROR " + String.valueOf(error.getMessage()).replace('\n', ' ');
                }
                said.println("\n" + names[n] + " " + value);
            }
        }
    }
}
