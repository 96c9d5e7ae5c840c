import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { buildResultPage, type Call, parseBody, Refusal, type Route, result } from './answers.ts';
import type { Stores } from './stores.ts';

interface Script {
  id: string;
  secrets: Map<string, string>;
  bindings: { type: string; name: string; [member: string]: unknown }[];
  versions: { id: string; created_on: string; strategy?: string }[];
  deployed: string | undefined;
  migrationTag: string | undefined;
  onWorkersDev: boolean;
  uploads: number;
}

const metadataSchema = z.looseObject({
  main_module: z.string(),
  compatibility_date: z.string(),
  bindings: z.array(z.looseObject({ type: z.string(), name: z.string() })),
  migrations: z.looseObject({ new_tag: z.string() }).optional(),
  assets: z.looseObject({ jwt: z.string() }).optional(),
  keep_bindings: z.array(z.string()).optional(),
});

const uploadJwt = (claims: object) =>
  ['{}', JSON.stringify({ exp: Math.trunc(Date.now() / 1000) + 3600, ...claims }), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

/** Workers of an account. */
export class Scripts {
  readonly scripts = new Map<string, Script>();
  subdomain: string | undefined;
  readonly uploadToken = uploadJwt({ for: 'assets' });
  readonly #stores: Stores;
  readonly #assets = new Set<string>();

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  readonly routes: readonly Route[] = [
    [
      'GET',
      'workers/subdomain',
      () => {
        if (!this.subdomain) throw new Refusal(404, 10007, 'You do not have a workers.dev subdomain yet');
        return result({ subdomain: this.subdomain });
      },
    ],
    [
      'PUT',
      'workers/subdomain',
      (call) => {
        const { subdomain } = parseBody(z.strictObject({ subdomain: z.string() }), call);
        if (this.subdomain) throw new Refusal(409, 10036, 'Account already has an associated subdomain');
        this.subdomain = subdomain;
        return result({ subdomain });
      },
    ],
    [
      'GET',
      'workers/services/*',
      (_, [name]) => {
        const { id, migrationTag: migration_tag } = this.#script(name!, 10090);
        const script = { id: name, tag: id, tags: [], migration_tag, last_deployed_from: 'wrangler' };
        return result({ id: name, default_environment: { environment: 'production', script } });
      },
    ],
    [
      'GET',
      'workers/workers/*',
      (_, [name]) => {
        const { id, onWorkersDev } = this.#script(name!, 10090);
        return result({ id, name, subdomain: { enabled: onWorkersDev, previews_enabled: false } });
      },
    ],
    [
      'GET',
      'workers/scripts',
      (call) =>
        buildResultPage(
          [...this.scripts].map(([id, { migrationTag }]) => ({ id, migration_tag: migrationTag })),
          call,
        ),
    ],
    [
      'GET',
      'workers/scripts/*/secrets',
      (_, [name]) =>
        result(
          [...this.#script(name!).secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' })),
        ),
    ],
    [
      'PUT',
      'workers/scripts/*/secrets',
      (call, [name]) => {
        const schema = z.strictObject({ name: z.string(), text: z.string(), type: z.literal('secret_text') });
        const secret = parseBody(schema, call);
        this.#script(name!).secrets.set(secret.name, secret.text);
        return result({ name: secret.name, type: secret.type });
      },
    ],
    ['GET', 'workers/scripts/*/settings', (_, [name]) => result({ bindings: this.#script(name!).bindings })],
    [
      'POST',
      'workers/scripts/*/assets-upload-session',
      (call) => {
        const file = z.strictObject({ hash: z.string(), size: z.number() });
        const { manifest } = parseBody(z.strictObject({ manifest: z.record(z.string(), file) }), call);
        const hashes = [...new Set(Object.values(manifest).map(({ hash }) => hash))];
        const missing = hashes.filter((hash) => !this.#assets.has(hash));
        return result({ jwt: this.uploadToken, buckets: missing.length > 0 ? [missing] : [] });
      },
    ],
    [
      'POST',
      'workers/assets/upload',
      ({ body }) => {
        if (!(body instanceof FormData)) throw new Refusal(400, 10021, 'A form is expected');
        for (const hash of body.keys()) this.#assets.add(hash);
        return result({ jwt: uploadJwt({ for: 'completion' }) });
      },
    ],
    [
      'PUT',
      'workers/scripts/*',
      (call, [name]) => {
        const script = this.#upload(name!, call);
        script.deployed = script.versions.at(-1)!.id;
        return result({ id: name, tag: script.id, startup_time_ms: 10, deployment_id: script.deployed });
      },
    ],
    [
      'POST',
      'workers/scripts/*/versions',
      (call, [name]) => {
        this.#script(name!);
        const { versions } = this.#upload(name!, call);
        return result({ id: versions.at(-1)!.id, startup_time_ms: 10, resources: { script: { etag: 'e' } } });
      },
    ],
    [
      'GET',
      'workers/scripts/*/versions',
      (_, [name]) => result({ items: this.#script(name!).versions.map(versionShown) }),
    ],
    [
      'GET',
      'workers/scripts/*/deployments',
      (_, [name]) => {
        const { deployed } = this.#script(name!);
        const versions = [{ version_id: deployed, percentage: 100 }];
        const one = {
          id: randomUUID(),
          source: 'wrangler',
          created_on: DAY,
          author_email: 'a@b.example',
          versions,
        };
        return result({ deployments: deployed ? [one] : [] });
      },
    ],
    [
      'POST',
      'workers/scripts/*/deployments',
      (call, [name]) => {
        const { versions } = parseBody(deploymentSchema, call);
        const script = this.#script(name!);
        script.deployed = versions[0]!.version_id;
        return result({ id: randomUUID() });
      },
    ],
    [
      'PATCH',
      'workers/scripts/*/script-settings',
      (_, [name]) => result({ ...this.#script(name!), id: name }),
    ],
    [
      'POST',
      'workers/scripts/*/subdomain',
      (call, [name]) => {
        const schema = z.strictObject({ enabled: z.boolean(), previews_enabled: z.boolean() });
        const { enabled, previews_enabled } = parseBody(schema, call);
        this.#script(name!).onWorkersDev = enabled;
        return result({ enabled, previews_enabled });
      },
    ],
    [
      'DELETE',
      'workers/scripts/*',
      ({ query }, [name]) => {
        this.#script(name!);
        const bound = [...this.scripts.values()].some(({ bindings }) =>
          bindings.some(({ type, service }) => type === 'service' && service === name),
        );
        if (bound) throw new Refusal(400, 10064, 'Other Workers are bound to this one');
        if (query.get('force') !== 'true') throw new Refusal(400, 10061, 'This Worker has Durable Objects');
        this.scripts.delete(name!);
        return result(null);
      },
    ],
  ];

  /** Copies the Workers. Their resources are in `stores`. */
  copy(stores: Stores): Scripts {
    const copy = new Scripts(stores);
    copy.subdomain = this.subdomain;
    for (const [name, script] of this.scripts) copy.scripts.set(name, structuredClone(script));
    for (const hash of this.#assets) copy.#assets.add(hash);
    return copy;
  }

  /** Returns a resource that the deployed service would miss, or `undefined`. */
  whatIsMissing(): string | undefined {
    const [name] = [...this.scripts.keys()].filter((one) => !/-(parser|ocr)$/.test(one));
    const script = name === undefined ? undefined : this.scripts.get(name);
    if (!script?.deployed) return 'no service';
    for (const secret of ['SESSION_SECRET', 'ENCRYPTION_KEY', 'BOOTSTRAP_API_KEY']) {
      if (!script.secrets.has(secret)) return `no ${secret}`;
    }
    const { sql } = [...this.#stores.databases.values()][0]!;
    if (sql.prepare("SELECT 1 FROM sqlite_master WHERE name = 'projects'").all().length === 0)
      return 'no tables';
    const idle = [...this.#stores.queues.values()].find(({ consumers }) => consumers.size === 0);
    return idle && `nobody consumes ${idle.name}`;
  }

  #script(name: string, code = 10007): Script {
    const script = this.scripts.get(name);
    if (!script) throw new Refusal(404, code, 'This Worker does not exist on your account.');
    return script;
  }

  #upload(name: string, { body }: Call): Script {
    if (!(body instanceof FormData)) throw new Refusal(400, 10021, 'A form is expected');
    const text = body.get('metadata');
    if (typeof text !== 'string') throw new Refusal(400, 10021, 'No metadata');
    const metadata = metadataSchema.parse(JSON.parse(text));
    if (!body.has(metadata.main_module)) throw new Refusal(400, 10021, 'No main module');
    const secrets = new Map(this.scripts.get(name)?.secrets);
    const script = this.scripts.get(name) ?? newScript(name);
    // An inherited binding keeps the uploaded binding of that name.
    const bindings = metadata.bindings.map((binding) =>
      binding.type === 'inherit'
        ? (script.bindings.find((one) => one.name === binding.name) ?? binding)
        : binding,
    );
    for (const binding of bindings) this.#checkBinding(binding, secrets);
    if (metadata.migrations) script.migrationTag = metadata.migrations.new_tag;
    Object.assign(script, { secrets, bindings, uploads: script.uploads + 1 });
    script.versions.push({ id: randomUUID(), created_on: DAY });
    this.scripts.set(name, script);
    return script;
  }

  /** Rejects bindings to resources that do not exist. */
  #checkBinding(binding: Script['bindings'][number], secrets: Map<string, string>): void {
    const { type, name } = binding;
    const names = { queues: [...this.#stores.queues.values()].map((queue) => queue.name) };
    const isThere: Record<string, (() => boolean) | undefined> = {
      d1: () => this.#stores.databases.has(String(binding.id ?? binding.database_id)),
      r2_bucket: () => this.#stores.buckets.has(String(binding.bucket_name)),
      queue: () => names.queues.includes(String(binding.queue_name)),
      service: () => this.scripts.has(String(binding.service)),
      vectorize: () => this.#stores.indexes.has(String(binding.index_name)),
      secret_text: () => secrets.set(name, String(binding.text)).has(name),
      durable_object_namespace: () => true,
      plain_text: () => true,
      assets: () => true,
      ai: () => true,
      inherit: () => secrets.has(name),
    };
    if (!isThere[type]?.()) throw new Refusal(400, 10041, `${name}: there is no such ${type}`);
  }
}

const DAY = '2026-01-01T00:00:00Z';
const versionShown = ({ id, created_on }: Script['versions'][number]) => ({
  id,
  number: 1,
  metadata: { created_on, author_email: 'a@b.example', source: 'wrangler' },
});

const newScript = (name: string): Script => ({
  id: createHash('md5').update(name).digest('hex'),
  secrets: new Map(),
  bindings: [],
  versions: [],
  deployed: undefined,
  migrationTag: undefined,
  onWorkersDev: false,
  uploads: 0,
});

const deploymentSchema = z.looseObject({
  strategy: z.literal('percentage'),
  versions: z.array(z.strictObject({ version_id: z.string(), percentage: z.literal(100) })).length(1),
});
