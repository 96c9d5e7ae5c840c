import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineReranker } from './definition.ts';
import { createDocumentReranker } from './document-reranker.ts';

const answer = z.object({
  results: z.array(z.looseObject({ index: z.unknown(), relevanceScore: z.unknown() })),
});

const MAX_CANDIDATES = 1_000;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/**
 * Converts a text to the format of the API. The API rejects empty texts, so an empty text becomes a space.
 */
const toTextDocument = (text: string) => ({ text: text === '' ? ' ' : text });

/** A reranking model of Amazon Bedrock. Calls are signed with AWS credentials. */
export const bedrock = defineReranker({
  kind: 'bedrock',
  className: 'BedrockRerank',
  settings: z.object({
    model: z.string().min(1).describe('Id or ARN of a foundation model.'),
    region: z.string().regex(/^[a-z\d-]{1,40}$/, 'is a region, as in eu-central-1'),
    access_key_id: z.string().min(1),
    secret_access_key: secret().min(1),
    session_token: secret().optional(),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    timeout: z.number().positive().default(15).describe('Timeout in seconds.'),
  }),
  capabilities: { maxCandidates: MAX_CANDIDATES },
  open(settings, deps) {
    const { model, region, access_key_id, secret_access_key, session_token, timeout } = settings;
    const base = settings.base_url ?? `https://bedrock-agent-runtime.${region}.amazonaws.com`;
    const modelArn = model.startsWith('arn:')
      ? model
      : `arn:aws:bedrock:${region}::foundation-model/${model}`;
    const http = deps.http({
      name: 'Bedrock',
      silenceSeconds: timeout,
      totalSeconds: timeout,
      maxBytes: MAX_ANSWER_BYTES,
      secrets: [secret_access_key, ...(session_token ? [session_token] : [])],
    });
    return createDocumentReranker({
      modelId: `bedrock/${model}`,
      maxCandidates: MAX_CANDIDATES,
      timeoutSeconds: timeout,
      async rank(query, documents, topN, signal) {
        const signer = new AwsV4Signer({
          method: 'POST',
          url: `${baseUrl(base)}/rerank`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            queries: [{ type: 'TEXT', textQuery: toTextDocument(query) }],
            sources: documents.map((text) => ({
              type: 'INLINE',
              inlineDocumentSource: { type: 'TEXT', textDocument: toTextDocument(text) },
            })),
            rerankingConfiguration: {
              type: 'BEDROCK_RERANKING_MODEL',
              bedrockRerankingConfiguration: { modelConfiguration: { modelArn }, numberOfResults: topN },
            },
          }),
          accessKeyId: access_key_id,
          secretAccessKey: secret_access_key,
          ...(session_token && { sessionToken: session_token }),
          service: 'bedrock',
          region,
        });
        const { url, method, headers, body } = await signer.sign();
        const init = { method, headers, body: body as string, signal };
        const response = await http.request(url, init, { what: 'a ranking' });
        const { results } = await http.json(response, answer);
        return results.map(({ index, relevanceScore: score }) => ({ index, score }));
      },
    });
  },
});
