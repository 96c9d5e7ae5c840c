import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiOperation } from '#test/support/openapi.ts';
import { expectSuccess, send } from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from './operation-inputs.ts';
import { listNamedFields, SCOPE_FIELDS } from './tenancy/named-fields.ts';
import { NAMED_THINGS, type Named, type Naming } from './tenancy/named-things.ts';
import { nameNothing, normalise, showAnswer } from './tenancy/normalise.ts';
import { placeId } from './tenancy/place-id.ts';
import { copyParts, listSettled, listStored } from './tenancy/stored-rows.ts';
import { getKind, KIND_NAMES, type KindName, type Thing } from './tenancy/things.ts';
import { createWorlds, insertKey, type World, type Worlds } from './tenancy/worlds.ts';

const SCOPE: Record<string, Naming> = {
  'query.project_id': 'project',
  'query.organization_id': 'organization',
};

interface Field {
  place: string;
  named: Named;
}

/** A request that names a resource of another owner in a field. */
interface Attempt {
  field: Field;
  key: string;
  thing: Thing;
  whose: string;
}

/**
 * Owners whose resources the tests name: `nearest` are the owners that are most like the caller, such as a sibling
 * project and another parent. `all` adds strangers of every kind of resource, keys of one organization, and resources
 * that were deleted.
 */
export type Others = 'nearest' | 'all';

/**
 * Checks that no operation reveals or changes resources of others. For every field that names a resource, the
 * tests send ids of other owners. Each answer must be the same as for a resource that does not exist.
 */
export function tenancy(operations: ApiOperation[], others: Others): void {
  let made: Worlds;
  let own: Fixtures;
  let fixtures: Fixtures;
  const deleted = new Map<KindName, Thing>();

  beforeAll(async () => {
    made = await createWorlds();
    own = createFixtures(made.owner);
    fixtures = { ...own, organization: async () => made.owner.organizationId };
    for (const name of KIND_NAMES) {
      const { isFresh, remove, parentParameter } = getKind(name);
      const field = { place: 'path.id', named: { kind: name, as: 'refused' as const } };
      const worlds = made.worlds.filter((world) => isTried(world, field) && !isFresh);
      await Promise.all(worlds.map((world) => world.find(name)));
      if (remove && !parentParameter && others === 'all') deleted.set(name, await makeDeleted(name));
    }
    await listSettled(made.victims);
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s does not reveal or change things of others',
    async (id, operation) => {
      const fields = findFields(operation);
      if (fields.length === 0) return;
      const given = await makeInputs(id);
      const attempts = await planAttempts(given, fields);
      const isNew = fields.some(({ named: { kind } }) => kind === 'sourceFile' || getKind(kind).isFresh);
      const before = isNew ? await listSettled(made.victims) : await listStored(made.victims);
      const answers = new Map<string, string>();
      for (const attempt of attempts) {
        await expectHidden(operation, given, attempt, answers).catch((error: unknown) => {
          const place = `${attempt.field.place} ${attempt.whose}`;
          throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
        });
      }
      expect(await listStored(made.victims)).toEqual(before);
      for (const field of fields.filter(({ named }) => named.as === 'ignored'))
        await expectIgnored(operation, field);
      if (others === 'all' || operation.method !== 'GET') await expectOwnWorks(operation, fields);
    },
  );

  afterAll(async () => {
    await listSettled(made.victims);
  });

  const isTried = (world: World, field: Field) =>
    isApart(world, field) && (others === 'all' || isNearest(world, field));

  const makeDeleted = async (name: KindName, parent?: string): Promise<Thing> => {
    const thing = await getKind(name).make(own, parent);
    await getKind(name).remove!(own, thing);
    return thing;
  };

  /** Returns the owner's inputs. Pipelines and organizations of others get the same parts or members. */
  const makeInputs = async (id: string): Promise<Inputs> => {
    const given = await INPUTS[id]!(id === 'deleteOrganization' ? own : fixtures);
    const { pipeline_id, organization_id, user_id } = given.params ?? {};
    if (pipeline_id) await copyParts('pipeline_id', pipeline_id, made.siblingsPipeline);
    if (user_id) {
      const organization = organization_id ?? made.owner.organizationId;
      await copyParts('organization_id', organization, made.strangersOrganization, user_id);
      await insertKey({ userId: user_id, organizationId: made.strangersOrganization });
    }
    return given;
  };

  const planAttempts = async (given: Inputs, fields: Field[]): Promise<Attempt[]> => {
    const source = given.params?.data_source_id;
    const attempts: Attempt[] = [];
    for (const field of fields.filter(({ named }) => named.as !== 'ignored')) {
      const { kind: name } = field.named;
      const kind = getKind(name);
      for (const world of made.worlds.filter((each) => isTried(each, field))) {
        const thing = await world.find(name, name === 'sourceFile' ? source : undefined);
        attempts.push({ field, key: world.key, thing, whose: world.name });
      }
      if (!kind.remove || field.named.outlives || others === 'nearest') continue;
      const parent = kind.parentParameter && given.params?.[kind.parentParameter];
      const thing = kind.parentParameter ? await makeDeleted(name, parent) : deleted.get(name)!;
      attempts.push({ field, key: made.owner.key, thing, whose: 'deleted' });
    }
    return attempts;
  };

  /** Checks that the answer equals the answer for a resource that does not exist. */
  const expectHidden = async (
    operation: ApiOperation,
    given: Inputs,
    { field: { place, named }, key, thing }: Attempt,
    answers: Map<string, string>,
  ) => {
    const { id, beside = {} } = thing;
    const ask = (name: string) => send(operation, placeId(given, place, name, { beside, ...named }), key);
    const answer = await ask(id);
    const shown = showAnswer(answer);
    expect(answer.status, shown).toBeLessThan(500);
    const sent = JSON.stringify(given) + id;
    const leaked = [...made.victims].filter((victim) => shown.includes(victim) && !sent.includes(victim));
    expect(leaked, shown).toEqual([]);
    if (named.as === 'chosen') return;
    const nothing = nameNothing(id);
    const question = `${place} ${key} ${nothing} ${JSON.stringify(beside)}`;
    let expected = answers.get(question);
    if (expected === undefined) {
      const unknown = await ask(nothing);
      if (named.as === 'refused') expect(unknown.status, showAnswer(unknown)).toBeGreaterThanOrEqual(400);
      expected = normalise(unknown, nothing);
      answers.set(question, expected);
    }
    expect(normalise(answer, id)).toBe(expected);
  };

  const expectIgnored = async (operation: ApiOperation, { place, named }: Field) => {
    const ask = async (name: string) => {
      const given = await makeInputs(operation.operationId);
      return normalise(await send(operation, placeId(given, place, name, named), made.owner.key), name);
    };
    const { id } = await getKind(named.kind).make(made.bystander);
    expect(await ask(id)).toBe(await ask(nameNothing(id)));
  };

  const expectOwnWorks = async (operation: ApiOperation, fields: Field[]) => {
    const scope = fields.filter(({ place }) => isScope(place));
    const rest = fields.filter(({ place }) => !isScope(place) && !place.startsWith('path.'));
    for (const named of [scope, ...rest.map((field) => [field])]) {
      let inputs = await makeInputs(operation.operationId);
      for (const field of named) inputs = await nameOwn(inputs, field);
      // Listing everything takes long, and an operation that reads is compared once by its test.
      const list = async () => (operation.method === 'GET' ? [] : listStored(made.victims));
      const before = await list();
      const answer = await send(operation, inputs, inputs.key ?? made.owner.key);
      const shown = `${named.map(({ place }) => place)}: ${showAnswer(answer)}`;
      expect(answer.status, shown).toBeLessThan(300);
      expectSuccess(answer);
      expect(await list(), shown).toEqual(before);
    }
  };

  const nameOwn = async (given: Inputs, { place, named }: Field): Promise<Inputs> => {
    const kind = getKind(named.kind);
    const parent = kind.parentParameter && given.params?.[kind.parentParameter];
    const { id, beside = {} } = kind.given
      ? { id: kind.given(fixtures) }
      : await kind.make(fixtures, parent, given.params?.data_source_id);
    return placeId(given, place, id, { beside, ...named });
  };
}

const isScope = (place: string) => SCOPE_FIELDS.some((scope) => scope === place);

/**
 * Returns the fields of an operation with the resources that they name. Fails if the table lacks a field or
 * has an unknown one.
 */
function findFields(operation: ApiOperation): Field[] {
  const id = operation.operationId as keyof typeof NAMED_THINGS;
  const row: Record<string, Naming> = NAMED_THINGS[id] ?? {};
  const places = listNamedFields(operation);
  const named = places.filter((place) => !isScope(place));
  expect(Object.keys(row).toSorted(), `${id} in test/suites/tenancy/named-things.ts`).toEqual(
    named.toSorted(),
  );
  return places.flatMap((place) => {
    const naming = row[place] ?? SCOPE[place]!;
    if (naming === 'operator' || naming === 'not ours') return [];
    return [{ place, named: typeof naming === 'string' ? { kind: naming, as: 'refused' } : naming }];
  });
}

/** Returns whether no other owner is more like the caller, among those whose resources of the kind are hidden. */
function isNearest({ name }: World, { named }: Field): boolean {
  if (name === 'beyond a narrower key') return false;
  return name !== 'of a stranger' || getKind(named.kind).isShared === true;
}

/** Returns whether the field must not name a resource of this kind in that world. */
function isApart(world: World, { place, named }: Field): boolean {
  const kind = getKind(named.kind);
  switch (world.name) {
    case 'of another parent':
      return kind.parentParameter !== undefined && !kind.isShared;
    case 'of a sibling project':
      return !kind.isShared;
    case 'of a sibling project that the key reaches':
      return !kind.isShared && named.kind !== 'project' && !place.startsWith('path.') && !named.anywhere;
    default:
      return true;
  }
}
