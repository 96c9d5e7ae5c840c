import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DeployFailure } from './failures.ts';

/**
 * Matches valid names of an installation. Such a name can begin the names of Workers, queues and buckets,
 * even with the longest suffix ("-dead-letter").
 */
export const NAME = /^[a-z][a-z0-9-]{0,48}[a-z0-9]$/;

const variables = z.record(z.string(), z.string());

const installationSchema = z
  .strictObject({
    name: z.string().regex(NAME),
    account_id: z.string().regex(/^[0-9a-f]{32}$/),
    database_id: z.string(),
    /** URL at which clients reach the service. */
    url: z.string(),
    /** Domain of the account that leads to the service, instead of workers.dev. */
    domain: z.string(),
    /** True if the operator has set `url`, for example because of a proxy. */
    url_chosen: z.boolean(),
    /** Vector dimensions for which the installation has a Vectorize index, such as 768. */
    vectorize: z.array(z.int().positive()),
    /**
     * Environment variables of each Worker, as described in docs/reference/configuration.md. Secrets are not
     * included.
     */
    variables: z.strictObject({ service: variables.optional(), parser: variables.optional() }),
    secrets_set: z.boolean(),
    first_key_shown: z.boolean(),
    release: z.string(),
    /** Hash of the last upload of each Worker, by the Worker's name. */
    workers: z.record(z.string(), z.string()),
  })
  .partial()
  .required({ name: true, account_id: true });

export type Installation = z.infer<typeof installationSchema>;

/** File with the names and ids of an installation. It never contains secrets. */
export class InstallationFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns `undefined` if nothing has been deployed from this folder. */
  read(): Installation | undefined {
    if (!existsSync(this.path)) return undefined;
    const text = readFileSync(this.path, 'utf8');
    try {
      return installationSchema.parse(JSON.parse(text));
    } catch (cause) {
      const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
      throw new DeployFailure(`${this.path} is not a valid installation file:\n${why}`);
    }
  }

  /** Replaces the file atomically, so that an interruption leaves either the old or the new version. */
  write(installation: Installation): void {
    const next = `${this.path}.next`;
    writeFileSync(next, `${JSON.stringify(installation, null, 2)}\n`);
    renameSync(next, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
