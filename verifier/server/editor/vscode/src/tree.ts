// An execution as a tree: each step, and below it what it changes. No part of VS Code is needed here.

export interface Change {
  path: string;
  before: string;
  after: string;
}

export interface Step {
  title: string;
  state: number;
  changed: Change[];
}

export interface Execution {
  begins: number | null;
  steps: Step[];
  at: number;
  property?: string;
}

export interface Item {
  label: string;
  description: string;
  isCurrent: boolean;
  children: Item[];
}

/** The items of an execution, from its first state on. */
export function makeItems(execution: Execution): Item[] {
  if (execution.begins === null) {
    return [];
  }
  const first: Item = {
    label: "initially",
    description: `state ${execution.begins}`,
    isCurrent: execution.at === 0,
    children: [],
  };
  return [first, ...execution.steps.map((step, index) => makeStep(step, index + 1, execution.at))];
}

function makeStep(step: Step, number: number, at: number): Item {
  return {
    label: `${number}  ${step.title}`,
    description: `state ${step.state}`,
    isCurrent: number === at,
    children: step.changed.map((change) => ({
      label: change.path,
      description: `${change.before} → ${change.after}`,
      isCurrent: false,
      children: [],
    })),
  };
}

export interface Result {
  property: string;
  verdict: string;
}

/** The first property of a run that is violated, whose execution can be shown. */
export function findViolated(results: Result[]): string | undefined {
  return results.find((one) => one.verdict === "VIOLATED")?.property;
}
