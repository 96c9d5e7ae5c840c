import { env } from 'cloudflare:workers';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { createFixtures, type Fixtures } from '#test/suites/operation-inputs.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { getKind, type KindName, type Thing } from './things.ts';

/** Owners of the resource that a request names. */
export type WorldName =
  /** Another organization. */
  | 'of a stranger'
  /** Another project of the same organization, requested with a key of one project. */
  | 'of a sibling project'
  /** Another project of the same organization, requested with a key of both. */
  | 'of a sibling project that the key reaches'
  /** Another organization of the same user, requested with a key of one organization. */
  | 'beyond a narrower key'
  /** Another pipeline, retriever or organization of the same caller. */
  | 'of another parent';

/** Resources of another owner, and the key that names them. */
export interface World {
  name: WorldName;
  fixtures: Fixtures;
  /** Key of the caller. */
  key: string;
  /** Returns one resource of each kind, which is created once. */
  find(kind: KindName, source?: string): Promise<Thing>;
}

export interface Worlds {
  owner: Tenant;
  worlds: World[];
  /** Owner of the resources that are named in ignored fields. */
  bystander: Fixtures;
  /** Ids of everything that belongs to others. */
  victims: Set<string>;
  /** An organization and a pipeline of others, to which parts can be copied. */
  strangersOrganization: string;
  siblingsPipeline: string;
}

export async function createWorlds(): Promise<Worlds> {
  const owner = await createTenant();
  const stranger = await createTenant();
  const second = await createTenant();
  const db = openDatabase(env.DB);
  const { userId, organizationId } = owner;
  const ofSecond = { organizationId: second.organizationId, userId, name: 'Owner', role: 'admin' as const };
  await db.insert(members).values(ofSecond);
  const narrow = await insertKey({ userId, organizationId, organizationOnly: true });
  const ofSecondKey = await insertKey({ userId, organizationId: second.organizationId });
  const sibling = await createProjectKey(owner, await createProject(owner));
  const own = await createProjectKey(owner, owner.projectId);
  const victims = new Set([
    stranger.organizationId,
    stranger.projectId,
    second.organizationId,
    second.projectId,
    sibling.projectId,
  ]);
  const world = (name: WorldName, tenant: Tenant, key: string): World => {
    const fixtures = createFixtures(tenant);
    return { name, fixtures, key, find: findOnce(fixtures, victims) };
  };
  const siblings = world('of a sibling project', sibling, own.key);
  return {
    owner,
    bystander: createFixtures(await createTenant()),
    victims,
    worlds: [
      world('of a stranger', stranger, owner.key),
      siblings,
      { ...siblings, name: 'of a sibling project that the key reaches', key: owner.key },
      world('beyond a narrower key', { ...second, key: ofSecondKey }, narrow),
      world('of another parent', owner, owner.key),
    ],
    strangersOrganization: stranger.organizationId,
    siblingsPipeline: (await siblings.find('pipeline')).id,
  };
}

function findOnce(fixtures: Fixtures, victims: Set<string>): World['find'] {
  const found = new Map<string, Promise<Thing>>();
  const make = async (name: KindName, source: string | undefined): Promise<Thing> => {
    const kind = getKind(name);
    const thing = kind.given ? { id: kind.given(fixtures) } : await kind.make(fixtures, undefined, source);
    if (!kind.isChosen) victims.add(thing.id);
    if (thing.parent !== undefined && !kind.isShared) victims.add(thing.parent);
    for (const id of thing.others ?? []) victims.add(id);
    return thing;
  };
  return (name, source) => {
    if (getKind(name).isFresh) return make(name, source);
    const place = `${name} ${source ?? ''}`;
    const thing = found.get(place) ?? make(name, source);
    found.set(place, thing);
    return thing;
  };
}

async function createProject({ key }: Tenant): Promise<string> {
  return (await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Sibling' } })).body.id;
}

async function createProjectKey(owner: Tenant, projectId: string): Promise<Tenant> {
  const body = { project_id: projectId };
  const answer = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
    key: owner.key,
    body,
  });
  return { ...owner, projectId, key: answer.body.redacted_api_key };
}

/** Inserts a key of a user for an organization. */
export async function insertKey(owner: {
  userId: string;
  organizationId: string;
  organizationOnly?: boolean;
}) {
  const key = `slc_${crypto.randomUUID()}`;
  const row = { ...owner, id: crypto.randomUUID(), keyType: 'user' as const, redacted: 'slc_…' };
  await openDatabase(env.DB)
    .insert(apiKeys)
    .values({ ...row, hash: await sha256(key) });
  return key;
}
