import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DeployFailure } from './failures.ts';

/** Of Workers, queues and buckets alike, with room for the longest ending ("-dead-letter"). */
export const NAME = /^[a-z][a-z0-9-]{0,48}[a-z0-9]$/;

const variables = z.record(z.string(), z.string());

const installationSchema = z
  .strictObject({
    name: z.string().regex(NAME),
    account_id: z.string().regex(/^[0-9a-f]{32}$/),
    database_id: z.string(),
    /** Where clients reach the service. */
    url: z.string(),
    /** A domain of the account that leads to the service, in place of one under workers.dev. */
    domain: z.string(),
    /** Whether `url` is somebody's own choice, as behind a proxy. */
    url_chosen: z.boolean(),
    /** Dimensions of the indexes of Vectorize. */
    vectorize: z.array(z.int().positive()),
    /** Variables of docs/configuration.md, without secrets. */
    variables: z.strictObject({ service: variables.optional(), parser: variables.optional() }),
    secrets_set: z.boolean(),
    first_key_shown: z.boolean(),
    /** The release that is deployed. */
    release: z.string(),
    /** What was uploaded last, by the name of its Worker. */
    workers: z.record(z.string(), z.string()),
  })
  .partial()
  .required({ name: true, account_id: true });

export type Installation = z.infer<typeof installationSchema>;

/** The small file that holds the names and ids of an installation. No secret is ever written into it. */
export class InstallationFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Undefined where nothing has been deployed from here. */
  read(): Installation | undefined {
    if (!existsSync(this.path)) return undefined;
    const text = readFileSync(this.path, 'utf8');
    try {
      return installationSchema.parse(JSON.parse(text));
    } catch (cause) {
      const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
      throw new DeployFailure(`${this.path} is not an installation:\n${why}`);
    }
  }

  /** In one step, so that an interruption leaves the old or the new one. */
  write(installation: Installation): void {
    const next = `${this.path}.next`;
    writeFileSync(next, `${JSON.stringify(installation, null, 2)}\n`);
    renameSync(next, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
