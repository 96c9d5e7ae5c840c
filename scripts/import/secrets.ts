import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from './failures.ts';
import { findMaskedPaths, formatPath, type Path, replaceAt } from './masks.ts';
import { type Redactor, toPrintable } from './output.ts';

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

/** Asks a person without echoing the typed text. An empty text means that no answer was given. */
export type Prompt = (question: string) => Promise<string>;

/** Value in which masked secrets have been replaced, and the paths of secrets that nobody provided. */
export interface Filled {
  value: unknown;
  missing: Path[];
}

/**
 * Secrets that the operator provides for the copies, by group, object name and path. They are kept only in
 * memory.
 */
export class Secrets {
  readonly #given: z.output<typeof givenSecrets>;
  readonly #ask: Prompt | undefined;
  readonly #redactor: Redactor;

  constructor(given: unknown, ask: Prompt | undefined, redactor: Redactor) {
    const read = givenSecrets.safeParse(given);
    if (!read.success) {
      const [issue] = read.error.issues;
      // The error message of zod is not shown, because it could contain a secret.
      throw new UsageError(
        `The secrets must have the form {"data_sinks": {"<name>": {"<field>": "<secret>"}}, …}. ` +
          `The error is at ${formatPath(issue!.path as Path) || 'the outermost level'}.`,
      );
    }
    redactor.add(read.data);
    this.#given = read.data;
    this.#ask = ask;
    this.#redactor = redactor;
  }

  /**
   * Replaces the masks in a value by the secrets. `required` names fields that are secrets even if the server
   * returned no mask. With `within`, masks inside longer texts are replaced as well.
   */
  async fill(
    of: { group: SecretGroup; name: string },
    value: unknown,
    { required = [], within = true }: { required?: readonly string[]; within?: boolean } = {},
  ): Promise<Filled> {
    const absent = required
      .filter((name) => !(value as Record<string, unknown> | undefined)?.[name])
      .map((name) => [name]);
    let filled = value;
    let open: Path[] = [...findMaskedPaths(value, within), ...absent];
    const known = Object.hasOwn(this.#given[of.group] ?? {}, of.name) ? this.#given[of.group]![of.name]! : {};
    for (const [name, given] of Object.entries(known)) {
      const target = open.flatMap((path) => listPrefixes(path)).find((path) => formatPath(path) === name);
      if (!target) continue;
      filled = replaceAt(filled, target, given);
      open = open.filter((path) => formatPath(path.slice(0, target.length)) !== name);
    }
    const missing: Path[] = [];
    for (const path of open) {
      const answer = this.#ask ? await this.#ask(formatQuestion(of, path)) : '';
      this.#redactor.add(answer);
      if (answer === '') missing.push(path);
      else filled = replaceAt(filled, path, answer);
    }
    return { value: filled, missing };
  }
}

const formatQuestion = (of: { group: SecretGroup; name: string }, path: Path) =>
  `${of.group.replaceAll('_', ' ').replace(/s$/, '')} ${toPrintable(of.name, 80)}, ${toPrintable(formatPath(path), 80)}: `;

const listPrefixes = (path: Path): Path[] => path.map((_, index) => path.slice(0, index + 1));

/** Reads the secrets from the file of `--secrets`, or from the variable IMPORT_SECRETS. */
export function readSecrets(file: string | undefined, variable: string | undefined): unknown {
  const text = file === undefined ? variable || '{}' : readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file ?? 'IMPORT_SECRETS'} is not valid JSON.`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
}
