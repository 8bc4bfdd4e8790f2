/** The workflows of GitHub as data, and their scripts as GitHub runs them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { parse } from 'yaml';

export interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description?: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description?: string; readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const readYaml = (path: string): unknown => parse(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8'));
export const readWorkflow = (path: string): Workflow => readYaml(path) as Workflow;
export const readAction = (): Action => readYaml('action.yml') as Action;

/** The script of the step with this name. */
export function findScript(steps: readonly Step[], name: string): string {
  const script = steps.find((step) => step.name === name)?.run;
  if (script === undefined) throw new Error(`There is no step "${name}" with a script`);
  return script;
}

/** Runs a script like a step with `shell: bash`: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell */
export const runScript = (script: string, { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) =>
  execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env, extendEnv: false, all: true });
