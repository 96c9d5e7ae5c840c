import aws4 from 'aws4';
import type { Behaviour, Refusal, VendorRequest } from './behaviour.ts';
import { embeddings } from './embedding.ts';
import type { Settings } from './protocol.ts';

const bedrockError = (_: number, message: string) => ({ message });

const CREDENTIAL =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
/** Maximum age of a signature in milliseconds, which allows for clock differences. */
const LONGEST_AGE_MS = 5 * 60_000;

function readCredentials({ accessKeyId, secretAccessKey, sessionToken }: Settings) {
  return {
    accessKeyId: String(accessKeyId),
    secretAccessKey: String(secretAccessKey),
    ...(sessionToken ? { sessionToken: String(sessionToken) } : {}),
  };
}

/** Checks the signature with an independent library over the signed headers. */
function authenticate({
  method,
  url,
  headers,
  text,
  settings,
}: Pick<VendorRequest, 'method' | 'url' | 'headers' | 'text' | 'settings'>): Refusal | undefined {
  const refuse = (message: string) => ({ status: 403, message });
  const parts = CREDENTIAL.exec(headers.authorization ?? '');
  if (!parts) return refuse('Authorization header requires Credential, SignedHeaders and Signature.');
  const [, key, region, service, signedHeaders, signature] = parts as unknown as string[];
  if (key !== settings.accessKeyId) return refuse('The security token included in the request is invalid.');
  if (url.hostname !== `bedrock-runtime.${region}.amazonaws.com` || service !== 'bedrock') {
    return refuse('Credential should be scoped to a valid region and the correct service.');
  }
  const names = signedHeaders!.split(';');
  const needed = ['host', 'x-amz-date', ...(settings.sessionToken ? ['x-amz-security-token'] : [])];
  if (needed.some((name) => !names.includes(name))) return refuse(`${needed} must be signed.`);
  if (settings.sessionToken && headers['x-amz-security-token'] !== settings.sessionToken) {
    return refuse('The security token included in the request is invalid.');
  }
  const [, ...date] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(headers['x-amz-date'] ?? '') ?? [];
  const [year, month, day, hour, minute, second] = date.map(Number) as [number, ...number[]];
  const at = Date.UTC(year, month! - 1, day, hour, minute, second);
  if (!(Math.abs(at - Date.now()) < LONGEST_AGE_MS)) return refuse('Signature expired.');
  const signer = new aws4.RequestSigner(
    {
      ...{ service, region, method, host: url.host, path: url.pathname + url.search, body: text },
      headers: Object.fromEntries(names.map((name) => [name, headers[name]!])),
      doNotModifyHeaders: true,
    } as Parameters<typeof aws4.sign>[0],
    { accessKeyId: key!, secretAccessKey: String(settings.secretAccessKey) },
  );
  // Uses the time of the request instead of the current time.
  Object.assign(signer, { datetime: headers['x-amz-date'] });
  const computed = signer.sign();
  const again = CREDENTIAL.exec(String(computed.headers?.Authorization));
  if (again?.[4] !== signedHeaders || again?.[5] !== signature) {
    return refuse('The request signature we calculated does not match the signature you provided.');
  }
  return undefined;
}

interface InvokeBody {
  inputText?: string;
  dimensions?: number;
  texts?: string[];
  input_type?: string;
  embedding_types?: string[];
  output_dimension?: number;
}

const PURPOSES: Record<string, string> = { search_document: 'document', search_query: 'query' };
/** Body members of each model family. InvokeModel itself accepts the body of any family. */
const MEMBERS: [model: RegExp, members: string[], most: number][] = [
  [/titan-embed-text-v1/, ['inputText'], 50_000],
  [/titan-embed-text-v2/, ['inputText', 'dimensions', 'normalize', 'embeddingTypes'], 50_000],
  [/cohere\.embed-[a-z]+-v3/, ['texts', 'input_type', 'truncate', 'embedding_types'], 2048],
  [
    /cohere\.embed-v4/,
    ['texts', 'input_type', 'truncate', 'embedding_types', 'output_dimension', 'max_tokens'],
    1_000_000,
  ],
];

function invoke(request: VendorRequest) {
  const body = request.body as InvokeBody;
  const model = request.params.modelId!;
  const known = MEMBERS.find(([pattern]) => pattern.test(model));
  if (!known || !(request.settings.models as string[]).includes(model)) {
    return { status: 404, body: bedrockError(404, 'The provided model identifier is invalid.') };
  }
  const [, members, most] = known;
  const texts = body.texts ?? [body.inputText!];
  const strange = Object.keys(body).find((name) => !members.includes(name));
  const problem = strange
    ? `extraneous key [${strange}] is not permitted`
    : texts.some((text) => text.length > most)
      ? `expected maxLength: ${most}`
      : undefined;
  if (problem) {
    const message = `Malformed input request: ${problem}, please reformat your input and try again.`;
    return { status: 400, body: bedrockError(400, message) };
  }
  const dimension = body.dimensions ?? body.output_dimension ?? (request.settings.dimension as number);
  const note = { texts, purpose: PURPOSES[body.input_type ?? ''] };
  return embeddings(request, note, dimension, (vectors) => {
    if (!body.texts) return { body: titanAnswer(vectors) };
    const given = body.embedding_types ? { float: vectors } : vectors;
    const response_type = body.embedding_types ? 'embeddings_by_type' : 'embeddings_floats';
    return { body: { id: 'i', response_type, texts, embeddings: given } };
  });
}

/** Answers with one vector for one text. A fault with several vectors or none is used as the vector. */
const titanAnswer = (vectors: unknown[]) => ({
  embedding: vectors.length === 1 ? vectors[0] : vectors,
  inputTextTokenCount: 1,
});

export const bedrockRuntime: Behaviour = {
  name: 'bedrock-runtime',
  error: bedrockError,
  authenticate,
  sign({ method, url, headers, body }, settings) {
    const { host, pathname, search, hostname } = new URL(url);
    const region = hostname.split('.')[1]!;
    const given = { service: 'bedrock', region, method, host, path: pathname + search, headers, body };
    return aws4.sign(given, readCredentials(settings)).headers as Record<string, string>;
  },
  settings: {
    accessKeyId: 'AKIDOFTHEVENDOR',
    secretAccessKey: 'secret-of-the-vendor',
    models: ['amazon.titan-embed-text-v2:0', 'amazon.titan-embed-text-v1'],
    dimension: 4,
  },
  operations: {
    'POST /model/{modelId}/invoke': {
      sample: {
        params: { modelId: 'amazon.titan-embed-text-v2:0', region: 'us-east-1' },
        body: { inputText: 'a', dimensions: 256, normalize: true },
      },
      answer: invoke,
    },
  },
};
