import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { members, users } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import type { ApiOperation } from '#test/support/openapi.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { type Body, send } from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS } from './operation-inputs.ts';

/**
 * Operations other than GET that viewers may call. They change nothing, or only the caller's own conversations
 * and sessions. Everything else is refused, including operations that are added later.
 */
const OPEN_TO_VIEWERS = new Set([
  'signIn',
  'signOut',
  'endOtherSessions',
  'endOwnSession',
  'removeConnectedApplication',
  'acceptInvitation',
  'retrieve',
  'retrieveDirectly',
  'retrieveWithRetriever',
  'chat',
  'chatWithRetriever',
  'stopPipelineChat',
  'stopChat',
  'stopRetrieverChat',
  'createChatSession',
  'renameChatSession',
  'deleteChatSession',
  'createRetrieverChatSession',
  'renameRetrieverChatSession',
  'deleteRetrieverChatSession',
  'deletePlaygroundSession',
  'queryFilesV2',
  'createPageScreenshotUrl',
  'createPageFigureUrl',
  'validateExtractSchema',
  'validateExtractionAgentSchema',
  'putTraceFeedback',
  'createEmbeddings',
  'createChatCompletion',
  'createResponse',
  'deleteResponse',
  'searchVectorStore',
  'searchAgentData',
  'aggregateAgentData',
  'clientSearchAgentData',
  'clientAggregateAgentData',
  'queryParseConfigurations',
]);

const REFUSED = /The role viewer may read, retrieve and chat, but change nothing/;

/** Returns the message of an error. Some successful answers are null. */
const readMessage = (body: Body | null): string => body?.error?.message ?? String(body?.detail);

/** Calls every operation as a viewer of the organization, and with a viewer's key of its admin. */
export function viewer(operations: ApiOperation[]): void {
  let owner: Tenant;
  let fixtures: Fixtures;
  let keys: Record<string, string>;

  beforeAll(async () => {
    owner = await createTenant();
    fixtures = { ...createFixtures(owner), organization: async () => owner.organizationId };
    keys = await createViewerKeys(owner);
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s is open to viewers only if it changes nothing of others',
    async (id, operation) => {
      const given = await INPUTS[id]!(fixtures);
      const isOpen = operation.method === 'GET' || OPEN_TO_VIEWERS.has(id);
      for (const [name, key] of Object.entries(keys)) {
        const answer = await send(operation, given, key, given.query);
        const message = readMessage(answer.body);
        if (isOpen) expect(message, `${name}: ${message}`).not.toMatch(REFUSED);
        else expect([name, answer.status, message]).toEqual([name, 403, expect.stringMatching(REFUSED)]);
      }
    },
  );
}

export async function createViewerKeys({ key, organizationId }: Tenant) {
  const userId = crypto.randomUUID();
  const db = openDatabase(env.DB);
  await db.batch([
    db.insert(users).values({ id: userId }),
    db.insert(members).values({ organizationId, userId, name: 'Viewer', role: 'viewer' }),
  ]);
  const create = async (body: object) => {
    const answer = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', { key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.redacted_api_key;
  };
  return {
    'key of a viewer': await create({ user_id: userId }),
    'viewer key of an admin': await create({ role: 'viewer' }),
  };
}
