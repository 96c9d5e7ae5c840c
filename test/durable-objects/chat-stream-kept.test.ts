import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { createObjects } from '#src/work/objects.ts';
import { hasRow, insertPipeline } from '#test/support/inserted-rows.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

const db = openDatabase(env.DB);

/** Registers an answer, and returns its owner with functions that show what it keeps. */
async function register() {
  const { projectId, userId } = await createTenant();
  const pipelineId = await insertPipeline(projectId);
  const [streamId, sessionId] = [newId(), newId()];
  const session = { id: sessionId, pipelineId, userId, llmParamsId: 'x', retrievalParamsId: 'x' };
  await db.insert(chatSessions).values(session);
  await db.insert(chatStreams).values({ id: streamId, pipelineId, userId, sessionId, chatId: 'a chat' });
  const stub = env.CHAT_STREAM.get(env.CHAT_STREAM.idFromName(streamId));
  const owner = createObjects(env as never).chatStream(streamId);
  const begin = async (isResumable: boolean) => {
    const order = {
      ...{ corpus: { pipelineId: newId() }, projectId, streamId, messageId: newId(), requestId: 'r' },
      ...{ excludedKeys: [], isResumable, request: { messages: [{ role: 'user', content: 'How high?' }] } },
    };
    return new Response(await owner.begin(order, 'ui')).text();
  };
  return {
    streamId,
    stub,
    owner,
    begin,
    getValues: () => runInDurableObject(stub, async (_, { storage }) => [...(await storage.list()).values()]),
    getAlarm: () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm()),
  };
}

describe('the owner of an answer', () => {
  it('begins it once', async () => {
    const { begin } = await register();
    await begin(true);
    await expect(begin(true)).rejects.toBeInstanceOf(Conflict);
  });

  it('stores nothing of an answer that cannot be resumed', async () => {
    const { begin, getValues, getAlarm } = await register();
    await begin(false);
    expect(await getValues()).toEqual([]);
    expect(await getAlarm()).toBeNull();
  });

  it('can be read again for half a minute, and then forgets the answer and its row alone', async () => {
    const [{ begin, streamId, stub, owner, getValues, getAlarm }, other] = [
      await register(),
      await register(),
    ];
    const said = await begin(true);
    expect(await getValues()).toEqual([streamId]);
    expect(await new Response((await owner.resume('ui'))!).text()).toBe(said);
    const left = async () => ((await getAlarm()) ?? Number.POSITIVE_INFINITY) - Date.now();
    await expect.poll(left, { timeout: PATIENCE_MS }).toBeLessThanOrEqual(30_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await owner.resume('ui')).toBeUndefined();
    expect(await getValues()).toEqual([]);
    expect(await hasRow('chat_streams', streamId)).toBe(false);
    expect(await hasRow('chat_streams', other.streamId)).toBe(true);
  });

  it('stores nothing once its answer is dropped', async () => {
    const { begin, owner, getValues, getAlarm } = await register();
    await begin(true);
    await owner.drop();
    expect(await owner.resume('ui')).toBeUndefined();
    expect(await getValues()).toEqual([]);
    expect(await getAlarm()).toBeNull();
  });
});
