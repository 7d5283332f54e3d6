// The extension: it starts the language server, and shows what its commands answer.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { type Execution, findViolated, type Item, makeItems, type Result } from "./tree";

const REQUEST = "verify.request";
const LANGUAGES = ["tlaplus", "tlacfg", "python", "toml"];

interface Run {
  text?: string;
  results?: Result[];
}

interface Disabled {
  action: string;
  enabled: boolean;
  step?: string;
  nearest?: { action: string; formula: string; says: string; values: Record<string, string> }[];
}

let client: LanguageClient | undefined;

class ExecutionTree implements vscode.TreeDataProvider<Item> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private items: Item[] = [];
  private at = 0;

  show(execution: Execution): void {
    this.items = makeItems(execution);
    this.at = execution.at;
    this.changed.fire();
  }

  /** The item of the state where one walks. */
  get current(): Item | undefined {
    return this.items[this.at];
  }

  /** How many steps lie between the current state and the one of an item: negative if it is behind. */
  distanceTo(item: Item): number {
    return this.items.indexOf(item) - this.at;
  }

  getParent(item: Item): Item | undefined {
    return this.items.find((step) => step.children.includes(item));
  }

  getChildren(item?: Item): Item[] {
    return item === undefined ? this.items : item.children;
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const state = item.children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const made = new vscode.TreeItem(item.label, state);
    made.description = item.description;
    if (item.isCurrent) {
      made.iconPath = new vscode.ThemeIcon("debug-stackframe");
    }
    if (this.items.includes(item)) {
      made.command = { command: "verify.walkTo", title: "Walk to this state", arguments: [item] };
    }
    return made;
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("verify");
  const output = vscode.window.createOutputChannel("verify", { log: true });
  const tree = new ExecutionTree();
  const view = vscode.window.createTreeView("verify.execution", { treeDataProvider: tree });
  const server: ServerOptions = {
    command: settings.get<string>("command", "verify"),
    args: ["serve", "--protocol", "lsp"],
  };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    initializationOptions: {
      library: settings.get<string[]>("library", []),
      runPython: settings.get<boolean>("runPython", false),
    },
    outputChannel: output,
    middleware: {
      executeCommand: async (command, given, next) => {
        const answer: unknown = await next(command, given);
        await showAnswer(command, answer, output, tree, view);
        return answer;
      },
    },
  };
  client = new LanguageClient("verify", "verify", server, options);
  context.subscriptions.push(
    output,
    view,
    vscode.commands.registerCommand("verify.back", () => walk(-1, tree)),
    vscode.commands.registerCommand("verify.forward", () => walk(1, tree)),
    vscode.commands.registerCommand("verify.walkTo", (item: Item) => walk(tree.distanceTo(item), tree)),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Ask the server for any request of its session. */
async function ask<T>(name: string, given: object): Promise<T | undefined> {
  return client?.sendRequest<T>("workspace/executeCommand", { command: REQUEST, arguments: [name, given] });
}

/** Walk on the execution: back if the number of steps is negative. */
async function walk(steps: number, tree: ExecutionTree): Promise<void> {
  if (steps < 0) {
    await ask("back", { steps: -steps });
  } else if (steps > 0) {
    await ask("forward", { steps });
  }
  const path = await ask<Execution>("path", {});
  if (path !== undefined) {
    tree.show(path);
  }
}

/** Show what a lens asked for: the text of a run and its execution, or why an action is disabled. */
async function showAnswer(
  command: string,
  answer: unknown,
  output: vscode.LogOutputChannel,
  tree: ExecutionTree,
  view: vscode.TreeView<Item>,
): Promise<void> {
  if (command === REQUEST || command === "verify.coverage" || typeof answer !== "object" || answer === null) {
    return;
  }
  if (command === "verify.whyDisabled") {
    output.appendLine(describe(answer as Disabled));
    output.show(true);
    return;
  }
  const run = answer as Run;
  output.appendLine(run.text ?? "");
  output.show(true);
  const property = findViolated(run.results ?? []);
  if (property === undefined) {
    return;
  }
  const execution = await ask<Execution>("counterexample", { property });
  if (execution !== undefined) {
    tree.show(execution);
    await vscode.commands.executeCommand("setContext", "verify.hasExecution", true);
    if (tree.current !== undefined) {
      await view.reveal(tree.current, { focus: false, select: true });
    }
  }
}

function describe(found: Disabled): string {
  if (found.enabled) {
    return `${found.action} is enabled: ${found.step ?? ""}`;
  }
  const lines = (found.nearest ?? []).map((one) => {
    const values = Object.entries(one.values).map(([name, value]) => `${name} = ${value}`);
    return `  ${one.action}: ${one.formula} ${one.says} (${values.join(", ")})`;
  });
  return [`${found.action} is disabled:`, ...lines].join("\n");
}
