import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members, users } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { type Answer, call } from '#test/support/client.ts';
import type { ApiOperation } from '#test/support/openapi.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { AUTHORISATION, type Outcome, type Role } from './authorisation-table.ts';
import { type Body, expectError, send } from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from './operation-inputs.ts';

interface Caller {
  key: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Calls every operation as every role and compares the results with the table. */
export function authorisation(operations: ApiOperation[]): void {
  let owner: Tenant;
  let fixtures: Fixtures;
  let callers: Record<Role, Caller>;
  let owned: string[];

  beforeAll(async () => {
    owner = await createTenant();
    // Uses the owner's organization instead of a new one, because the member does not belong to a new one.
    fixtures = { ...createFixtures(owner), organization: async () => owner.organizationId };
    callers = await createCallers(owner);
    owned = [owner.organizationId, owner.projectId, ...(await oneOfEach(fixtures))];
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s follows the authorisation table',
    async (id, operation) => {
      const row: Record<Role, Outcome> | undefined = AUTHORISATION[id as keyof typeof AUTHORISATION];
      expect(row, `${id} has no row in authorisation-table.ts`).toBeDefined();
      const roles = Object.entries(row!) as [Role, Outcome][];
      const make = () => INPUTS[id]!(fixtures);
      const refused = roles.filter(([, outcome]) => typeof outcome === 'number');
      const allowed = roles.filter(([, outcome]) => typeof outcome !== 'number');

      // All rejected callers use the same resource, which still exists for the first permitted caller.
      let given = await make();
      const found: Record<string, Outcome> = {};
      for (const [role] of refused) {
        const answer = await ask(operation, given, callers[role]);
        if (answer.status >= 300) expectError(operation, answer);
        found[role] = answer.status < 300 ? 'done' : answer.status;
      }
      for (const [role, outcome] of allowed) {
        const answer = await ask(operation, given, callers[role]);
        found[role] = getOutcome(answer, outcome, owned);
        if (operation.method !== 'GET') given = await make();
      }
      expect(found).toEqual(row);
      // The operation has also ended the session of the cookie.
      if (id === 'endOtherSessions') callers.cookieWithoutOrigin = await signIn(owner.key);
    },
  );
}

function ask(operation: ApiOperation, given: Inputs, caller: Caller): Promise<Answer<Body>> {
  return send(operation, given, caller.key, { ...given.query, ...caller.query }, caller.headers);
}

function getOutcome(answer: Answer<Body>, wanted: Outcome, owned: string[]): Outcome {
  if (answer.status >= 300) return answer.status;
  if (wanted === 'done') return 'done';
  const shown = JSON.stringify(answer.body);
  return owned.some((id) => shown.includes(id)) ? 'own' : 'elsewhere';
}

/** Creates one resource of each kind and returns the ids, which lists must show or hide. */
async function oneOfEach(fixtures: Fixtures): Promise<string[]> {
  const ids = [
    await fixtures.pipeline(),
    await fixtures.file(),
    await fixtures.dataSink(),
    await fixtures.dataSource(),
    await fixtures.embeddingModelConfig(),
    await fixtures.apiKey(),
    await fixtures.project(),
    await fixtures.retriever(),
    await fixtures.questionSet(),
    await fixtures.evaluationRun(),
    await fixtures.sweep(),
    await fixtures.truthSet(),
    await fixtures.agentData(),
    await fixtures.directory(),
    await fixtures.accuracyRun(),
    await fixtures.configuration(),
    await fixtures.webhookConfig(),
    (await fixtures.delivery()).delivery_id,
    (await fixtures.run()).job_id,
  ];
  for (const product of ['parse', 'extract', 'classify', 'split', 'sheets'] as const) {
    ids.push((await fixtures.job(product)).job_id);
  }
  return ids;
}

async function createCallers(owner: Tenant): Promise<Record<Role, Caller>> {
  const { key, organizationId, projectId, userId } = owner;
  const create = async (path: string, body: Record<string, unknown>) => {
    const answer = await call<{ id: string; redacted_api_key: string }>('POST', path, { key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const newKey = async (body: Record<string, unknown>) => ({
    key: (await create('/api/v1/api-keys', body)).redacted_api_key,
  });
  const other = await create('/api/v1/projects', { name: 'Other' });
  const elsewhere = await createTenant();
  const memberId = crypto.randomUUID();
  const ofMember = await createKey({ userId: memberId, organizationId });
  const ofGuest = await createKey({
    userId,
    organizationId: elsewhere.organizationId,
    organizationOnly: true,
  });
  const db = openDatabase(env.DB);
  const admin = { organizationId: elsewhere.organizationId, userId, name: 'Guest', role: 'admin' as const };
  await db.batch([
    db.insert(users).values({ id: memberId }),
    db.insert(members).values({ organizationId, userId: memberId, name: 'Member', role: 'member' }),
    db.insert(members).values(admin),
    db.insert(apiKeys).values([ofMember.row, ofGuest.row]),
  ]);
  return {
    nobody: { key: null },
    stranger: { key: (await createTenant()).key },
    member: { key: ofMember.key },
    admin: { key },
    projectKey: await newKey({ project_id: projectId }),
    otherProjectKey: await newKey({ project_id: other.id }),
    keyForMember: await newKey({ user_id: memberId }),
    keyFromElsewhere: { key: ofGuest.key },
    askingElsewhere: { key, query: { organization_id: elsewhere.organizationId } },
    cookieWithoutOrigin: await signIn(key),
  };
}

/** Signs a browser in. Its requests have no `Origin` header. */
async function signIn(key: string): Promise<Caller> {
  const session = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
  return { key: null, headers: { cookie: session.headers.get('set-cookie')!.split(';')[0]! } };
}

async function createKey(owner: { userId: string; organizationId: string; organizationOnly?: boolean }) {
  const key = `slc_${crypto.randomUUID()}`;
  const row = { ...owner, id: crypto.randomUUID(), keyType: 'user' as const, redacted: 'slc_…' };
  return { key, row: { ...row, hash: await sha256(key) } };
}
