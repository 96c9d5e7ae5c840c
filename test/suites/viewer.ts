import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { API_SCOPES, type ApiScope, members, users } from '#src/db/schema/index.ts';
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
  'clientCreateChat',
  'clientDeleteChat',
  'clientStreamChat',
  'clientRetrieveFromIndex',
  'clientFindIndexFiles',
  'clientGrepIndexFile',
  'clientReadIndexFile',
  'queryParseConfigurations',
]);

/** Operations of `OPEN_TO_VIEWERS` that a key for retrieval and chat must not call. */
const CLOSED_TO_RETRIEVAL = new Set([
  'clientFindIndexFiles',
  'clientGrepIndexFile',
  'clientReadIndexFile',
  'queryParseConfigurations',
  'endOtherSessions',
  'endOwnSession',
  'removeConnectedApplication',
  'deletePlaygroundSession',
  'queryFilesV2',
  'createPageScreenshotUrl',
  'createPageFigureUrl',
  'validateExtractSchema',
  'validateExtractionAgentSchema',
  'searchAgentData',
  'aggregateAgentData',
  'clientSearchAgentData',
  'clientAggregateAgentData',
]);

/** Operations with GET that a key for retrieval and chat may call. */
const OPEN_TO_RETRIEVAL = new Set([
  'clientGetChat',
  'clientGetChatSummary',
  'clientListIndexes',
  'clientGetIndex',
  'listSignInProviders',
  'getSession',
  'listProjects',
  'getProject',
  'searchPipelines',
  'getPipeline',
  'listPipelines',
  'listRetrievers',
  'getRetriever',
  'listModels',
  'getModel',
  'listVectorStores',
  'getVectorStore',
  'getResponse',
  'listResponseInputItems',
  'resumeChat',
  'resumeRetrieverChat',
  'getChatSession',
  'listChatMessages',
  'getRetrieverChatSession',
  'listRetrieverChatMessages',
]);

/** Operations that need the scope `admin`. */
const ADMIN = new Set([
  'createApiKey',
  'revokeApiKey',
  'createApiKeyBeta',
  'revokeApiKeyBeta',
  'createProject',
  'renameProject',
  'deleteProject',
  'createOrganization',
  'renameOrganization',
  'deleteOrganization',
  'addMember',
  'changeMemberRole',
  'removeMember',
  'createInvitation',
  'listInvitations',
  'revokeInvitation',
  'listAuditEvents',
  'exportAuditEvents',
  'exportProject',
  'putModelSettings',
  'putTraceSettings',
  'getMetrics',
  'listDeadLetters',
  'sendDeadLetter',
  'checkInstallation',
  'rotateSecrets',
  'getBackupOutline',
  'readBackupRows',
  'listBackupObjects',
  'readBackupObject',
  'beginRestore',
  'writeRestoredRows',
  'writeRestoredObject',
  'finishRestore',
]);

const PUBLIC = new Set([
  'signIn',
  'signOut',
  'listSignInProviders',
  'acceptInvitation',
  'getHealth',
  'getLiveness',
  'getReadiness',
]);

/** Operations that also need the scope `admin` for what the test asks: to create a project and to export another user. */
const ADMIN_FOR_SOME = new Set(['upsertProject', 'exportUser']);

/** Returns the scope that an operation is expected to need. */
function getExpectedScope({ operationId: id, method }: ApiOperation): ApiScope | null {
  if (PUBLIC.has(id)) return null;
  if (ADMIN.has(id)) return 'admin';
  const isOpen = method === 'GET' || OPEN_TO_VIEWERS.has(id);
  if (!isOpen) return 'write';
  const retrieves = method === 'GET' ? OPEN_TO_RETRIEVAL.has(id) : !CLOSED_TO_RETRIEVAL.has(id);
  return retrieves ? 'retrieve' : 'read';
}

const REFUSED = /The role viewer may read, retrieve and chat, but change nothing/;
const LACKS_SCOPE = /needs the scope/;

/** Returns the message of an error. Some successful answers are null. */
const readMessage = (body: Body | null): string => body?.error?.message ?? String(body?.detail);

/**
 * Calls every operation as a viewer of the organization, and with keys of its admin: one with the scope that the
 * operation needs, and one with the next lower scope.
 */
export function viewer(operations: ApiOperation[]): void {
  let owner: Tenant;
  let fixtures: Fixtures;
  let viewerKey: string;
  let keys: Record<ApiScope, string>;

  beforeAll(async () => {
    owner = await createTenant();
    fixtures = { ...createFixtures(owner), organization: async () => owner.organizationId };
    viewerKey = (await createViewerKeys(owner))['key of a viewer'];
    keys = await createScopedKeys(owner);
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s is open to viewers only if it changes nothing of others',
    async (id, operation) => {
      const given = await INPUTS[id]!(fixtures);
      const isOpen = operation.method === 'GET' || OPEN_TO_VIEWERS.has(id);
      const answer = await send(operation, given, viewerKey, given.query);
      const message = readMessage(answer.body);
      if (isOpen) expect(message).not.toMatch(REFUSED);
      else expect([answer.status, message]).toEqual([403, expect.stringMatching(REFUSED)]);
    },
  );

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s needs the expected scope, and no more',
    async (id, operation) => {
      const needed = getExpectedScope(operation);
      expect(operation['x-required-scope'] ?? null).toBe(needed);
      if (needed === null) return expect(operation.security).toEqual([]);
      expect(operation.security).toEqual([{ bearer: [] }, { session: [] }]);
      const given = await INPUTS[id]!(fixtures);
      const lower = API_SCOPES[API_SCOPES.indexOf(needed) - 1];
      if (lower) {
        const answer = await send(operation, given, keys[lower], given.query);
        const expected = `This needs the scope ${needed}. The API key has only the scope ${lower}.`;
        expect([answer.status, readMessage(answer.body)]).toEqual([403, expect.stringContaining(expected)]);
      }
      const answer = await send(operation, given, keys[needed], given.query);
      if (ADMIN_FOR_SOME.has(id)) expect(readMessage(answer.body)).toContain('This needs the scope admin.');
      else expect(readMessage(answer.body)).not.toMatch(LACKS_SCOPE);
    },
  );
}

/** Creates a key of the tenant's admin for each scope. */
export async function createScopedKeys({ key }: Tenant): Promise<Record<ApiScope, string>> {
  const create = async (scope: ApiScope) => {
    const body = { scopes: [scope] };
    const answer = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', { key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return [scope, answer.body.redacted_api_key] as const;
  };
  return Object.fromEntries(await Promise.all(API_SCOPES.map(create))) as Record<ApiScope, string>;
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
