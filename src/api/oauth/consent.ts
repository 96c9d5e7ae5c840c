import type { Context as HonoContext } from 'hono';
import { z } from 'zod';
import { authenticate, hasKey, requireOwnOrigin } from '#src/api/http/auth.ts';
import { readClientAddress } from '#src/api/http/client-address.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { decodeQuery, parseParts, readJson } from '#src/api/http/read-input.ts';
import { scopeQuery } from '#src/api/operation/endpoint.ts';
import { Forbidden } from '#src/lib/errors.ts';
import {
  authorizationRequest,
  buildAnswer,
  buildDenial,
  canGrantWriting,
  connectApplication,
  readRequest,
} from '#src/services/applications/consent.ts';
import { recordEvent } from '#src/services/audit/record.ts';
import { publicOrigin } from '#src/settings/settings.ts';

const BODY_BYTES = 16 * 1024;

const consentBody = z.object({
  request: authorizationRequest,
  /** Answer of the user. Absent while the page only asks what to show. */
  decision: z.enum(['allow', 'refuse']).optional(),
  can_write: z.boolean().default(false),
});

/**
 * Describes an authorization request to the consent page of the console, or takes the user's decision. Only the
 * session cookie of the console is accepted, together with the Origin header that browsers add, so that neither
 * another site nor an API key can consent.
 */
export async function answerConsent(c: HonoContext<ApiEnv>): Promise<Response> {
  const ctx = c.get('context');
  const request = c.req.raw;
  c.header('cache-control', 'no-store');
  if (hasKey(request))
    throw new Forbidden('Only a user who is signed in to the console can connect applications.');
  requireOwnOrigin(ctx, request);
  const caller = await authenticate(ctx, request);
  const query = decodeQuery(scopeQuery, new URL(request.url).searchParams);
  const parts = parseParts({
    query: { schema: scopeQuery, value: query },
    body: { schema: consentBody, value: (await readJson(request, BODY_BYTES)) ?? {} },
  });
  const body = parts.body as z.output<typeof consentBody>;
  const tenant = await caller.tenantContext(parts.query as z.output<typeof scopeQuery>);
  const issuer = publicOrigin(ctx.settings, request.url);
  const question = await readRequest(tenant, body.request, issuer);
  if ('redirectTo' in question) return c.json({ redirect_to: question.redirectTo });
  const { client, redirectHost, asksToWrite } = question;
  if (body.decision === 'refuse') return c.json({ redirect_to: buildDenial(body.request, issuer) });
  if (body.decision === undefined) {
    return c.json({
      name: client.name,
      redirect_host: redirectHost,
      client_host: URL.parse(client.id)?.host ?? null,
      asks_to_write: asksToWrite,
      can_write: await canGrantWriting(tenant),
    });
  }
  const { id, code } = await connectApplication(tenant, client, body.request, body.can_write);
  const { organizationId, projectId, actor } = tenant;
  await recordEvent(ctx, {
    ...{ organizationId, projectId, userId: actor.userId, keyId: actor.keyId },
    operation: 'connectApplication',
    objectType: 'connected_application',
    objectId: id,
    requestId: c.get('requestId'),
    address: readClientAddress(request, ctx.settings),
  });
  return c.json({ redirect_to: buildAnswer(body.request, issuer, { code }) });
}
