import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { WrongUse } from './failures.ts';
import { maskedPlaces, nameOf, type Path, replacedAt } from './masks.ts';
import { printable, type Redactor } from './tell.ts';

const secret = z.union([z.string(), z.record(z.string(), z.unknown())]);
const group = z.record(z.string(), z.record(z.string(), secret)).optional();
const givenSecrets = z.strictObject({
  data_sinks: group,
  data_sources: group,
  embedding_model_configs: group,
  pipelines: group,
  configurations: group,
});

export type SecretGroup = keyof z.output<typeof givenSecrets>;

/** Asks a person, without showing what is typed; an empty answer is none. */
export type Ask = (question: string) => Promise<string>;

/** A value with its secrets, and the places of those that nobody gave. */
export interface Filled {
  value: unknown;
  missing: Path[];
}

/** Secrets by group, name of the object and path within it. They are kept in memory only. */
export class Secrets {
  readonly #given: z.output<typeof givenSecrets>;
  readonly #ask: Ask | undefined;
  readonly #redactor: Redactor;

  constructor(given: unknown, ask: Ask | undefined, redactor: Redactor) {
    const read = givenSecrets.safeParse(given);
    if (!read.success) {
      const [issue] = read.error.issues;
      // Its message may not repeat a value: that would be a secret.
      throw new WrongUse(
        `The secrets are not of the shape {"data_sinks": {"<name>": {"<field>": "<secret>"}}, …}: ` +
          `see ${nameOf(issue!.path as Path) || 'the outermost level'}.`,
      );
    }
    redactor.add(read.data);
    this.#given = read.data;
    this.#ask = ask;
    this.#redactor = redactor;
  }

  /** `required`: members that are secrets though the server showed nothing at all. `prefix` names them in the group. */
  async fill(
    of: { group: SecretGroup; name: string },
    value: unknown,
    { required = [], within = true }: { required?: readonly string[]; within?: boolean } = {},
  ): Promise<Filled> {
    const absent = required
      .filter((name) => !(value as Record<string, unknown> | undefined)?.[name])
      .map((name) => [name]);
    let filled = value;
    let open: Path[] = [...maskedPlaces(value, within), ...absent];
    const known = Object.hasOwn(this.#given[of.group] ?? {}, of.name) ? this.#given[of.group]![of.name]! : {};
    for (const [name, given] of Object.entries(known)) {
      const target = open.flatMap((path) => prefixesOf(path)).find((path) => nameOf(path) === name);
      if (!target) continue;
      filled = replacedAt(filled, target, given);
      open = open.filter((path) => nameOf(path.slice(0, target.length)) !== name);
    }
    const missing: Path[] = [];
    for (const path of open) {
      const answer = this.#ask ? await this.#ask(questionOf(of, path)) : '';
      this.#redactor.add(answer);
      if (answer === '') missing.push(path);
      else filled = replacedAt(filled, path, answer);
    }
    return { value: filled, missing };
  }
}

const questionOf = (of: { group: SecretGroup; name: string }, path: Path) =>
  `${of.group.replaceAll('_', ' ').replace(/s$/, '')} ${printable(of.name, 80)}, ${printable(nameOf(path), 80)}: `;

const prefixesOf = (path: Path): Path[] => path.map((_, index) => path.slice(0, index + 1));

/** What `--secrets` names, or the variable IMPORT_SECRETS holds. */
export function readSecrets(file: string | undefined, variable: string | undefined): unknown {
  const text = file === undefined ? variable || '{}' : readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongUse(`${file ?? 'IMPORT_SECRETS'} is not JSON.`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new WrongUse(`${file} cannot be read.`);
  }
}
