import { awsSignature } from '../aws-signature.ts';
import { type Behaviour, bearer, type VendorRequest } from '../behaviour.ts';
import { openaiError } from '../openai.ts';
import { anthropicMessages } from './protocols/anthropic.ts';
import { bedrockConverse } from './protocols/bedrock.ts';
import { cohereChat } from './protocols/cohere.ts';
import { geminiContent } from './protocols/gemini.ts';
import { openaiChat } from './protocols/openai.ts';
import type { ChatProtocol, Ending } from './protocols/protocol.ts';

/** Settings of a vendor that define the answers of its chat model. */
export interface Says {
  text: string;
  ending: Ending;
  /** Pieces of a streamed answer. Defaults to the text in one piece. */
  pieces?: string[];
}

const SAYS: Says = { text: '{"colour":"green"}', ending: 'whole' };
const key = 'key-of-the-vendor';
const SCHEMA = { type: 'object', properties: { colour: { type: 'string' } }, additionalProperties: false };

/** Returns a chat operation that records the request and answers from the settings. */
function speaking(protocol: ChatProtocol) {
  return (request: VendorRequest) => {
    const { text, ending, pieces = [text] } = request.settings as unknown as Says;
    const asked = protocol.read(request.body);
    request.note(asked);
    if (!protocol.streams(request.url, request.body)) return { body: protocol.write(text, ending, asked) };
    const events = protocol.events(pieces, ending, request.body);
    if (!(events instanceof Uint8Array)) return { events };
    return { raw: { contentType: 'application/vnd.amazon.eventstream', bytes: events } };
  };
}

/** Authentication with a key in a vendor-specific header. */
const keyIn = (name: string) => ({
  authenticate: ({ headers, settings }: Pick<VendorRequest, 'headers' | 'settings'>) =>
    headers[name] === settings.key ? undefined : { status: 401, message: 'wrong key' },
  sign: (_: unknown, settings: Record<string, unknown>) => ({ [name]: String(settings.key) }),
});

const completion = {
  model: 'talker',
  messages: [
    { role: 'system', content: 'Read.' },
    { role: 'user', content: 'What colour?' },
  ],
  temperature: 0,
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
};
const freeForm = ['response_format.json_schema.schema'];

const openai: Behaviour = {
  name: 'openai-chat',
  error: openaiError,
  ...bearer,
  settings: { key, ...SAYS },
  operations: {
    'POST /chat/completions': { answer: speaking(openaiChat), sample: { body: completion, freeForm } },
  },
};

const azure: Behaviour = {
  name: 'azure-openai-chat',
  error: (status, message) => ({ error: { code: String(status), message } }),
  ...keyIn('api-key'),
  settings: { key, ...SAYS },
  operations: {
    'POST /deployments/{deployment-id}/chat/completions': {
      answer: speaking(openaiChat),
      sample: {
        params: { 'deployment-id': 'talker' },
        query: { 'api-version': '2024-10-21' },
        body: completion,
        freeForm,
      },
    },
  },
};

const anthropic: Behaviour = {
  name: 'anthropic',
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 401 ? 'authentication_error' : 'invalid_request_error', message },
    request_id: 'r',
  }),
  ...keyIn('x-api-key'),
  settings: { key, ...SAYS },
  operations: {
    'POST /v1/messages': {
      answer: speaking(anthropicMessages),
      sample: {
        headers: { 'anthropic-version': '2023-06-01' },
        body: {
          model: 'claude-sonnet-4-5',
          max_tokens: 100,
          system: [{ type: 'text', text: 'Read.' }],
          messages: [{ role: 'user', content: [{ type: 'text', text: 'What colour?' }] }],
          temperature: 0,
          output_config: { format: { type: 'json_schema', schema: SCHEMA } },
        },
        freeForm: ['output_config.format.schema'],
      },
    },
  },
};

const googleError = (status: number, message: string) => ({ error: { code: status, message } });
const content = {
  systemInstruction: { parts: [{ text: 'Read.' }] },
  contents: [{ role: 'user', parts: [{ text: 'What colour?' }] }],
  generationConfig: { temperature: 0, responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
};
const contents = (path: string, params: Record<string, string>): Behaviour['operations'] =>
  Object.fromEntries(
    [
      ['generateContent', {}],
      ['streamGenerateContent', { alt: 'sse' }],
    ].map(([method, query]) => [
      `POST ${path}:${method}`,
      {
        answer: speaking(geminiContent),
        sample: {
          ...{ params, query: query as Record<string, string>, body: content },
          freeForm: ['generationConfig.responseJsonSchema'],
        },
      },
    ]),
  );

const gemini: Behaviour = {
  name: 'gemini-chat',
  error: googleError,
  ...keyIn('x-goog-api-key'),
  settings: { key, ...SAYS },
  operations: contents('/v1beta/models/{model}', { model: 'gemini-2.5-flash' }),
};

const vertex: Behaviour = {
  name: 'vertex-chat',
  error: googleError,
  ...bearer,
  settings: { key, ...SAYS },
  operations: contents(
    '/v1/projects/{projectsId}/locations/{locationsId}/publishers/{publishersId}/models/{modelsId}',
    { projectsId: 'p', locationsId: 'us-central1', publishersId: 'google', modelsId: 'gemini-2.5-flash' },
  ),
};

const cohere: Behaviour = {
  name: 'cohere-chat',
  error: (_, message) => ({ message }),
  ...bearer,
  settings: { key, ...SAYS },
  operations: {
    'POST /v2/chat': {
      answer: speaking(cohereChat),
      sample: {
        body: {
          model: 'command-a-03-2025',
          messages: completion.messages,
          temperature: 0,
          stream: false,
          response_format: { type: 'json_object', json_schema: SCHEMA },
        },
        freeForm: ['response_format.json_schema'],
      },
    },
  },
};

const converse = {
  system: [{ text: 'Read.' }],
  messages: [{ role: 'user', content: [{ text: 'What colour?' }] }],
  inferenceConfig: { temperature: 0, maxTokens: 100 },
  toolConfig: {
    tools: [{ toolSpec: { name: 'json', description: 'An object.', inputSchema: { json: SCHEMA } } }],
    toolChoice: { any: {} },
  },
};
const conversation = {
  answer: speaking(bedrockConverse),
  sample: {
    params: { modelId: 'meta.llama3-70b-instruct-v1:0' },
    body: converse,
    freeForm: ['toolConfig.tools.0.toolSpec.inputSchema.json', 'toolConfig.toolChoice.any'],
  },
};

const bedrock: Behaviour = {
  name: 'bedrock-converse',
  error: (_, message) => ({ message }),
  ...awsSignature,
  settings: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: key, region: 'eu-central-1', ...SAYS },
  operations: {
    'POST /model/{modelId}/converse': conversation,
    'POST /model/{modelId}/converse-stream': conversation,
  },
};

export const chatBehaviours: readonly Behaviour[] = [
  anthropic,
  azure,
  bedrock,
  cohere,
  gemini,
  openai,
  vertex,
];
