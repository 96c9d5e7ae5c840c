import { BASE } from '#test/support/client.ts';
import { fillIn, stabilize } from '#test/support/example-values.ts';
import { type ApiOperation, type Schema, withoutNull } from '#test/support/openapi.ts';
import { createTenant } from '#test/support/tenants.ts';
import { inputsOfExamples } from './example-inputs.ts';
import { expectSuccess, send } from './operation-calls.ts';
import { createFixtures, type Inputs } from './operation-inputs.ts';

export interface Shown {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body?: unknown;
  type?: string;
  answer?: unknown;
}

/** Creates a separate tenant for one operation. */
export async function prepare({ operationId }: ApiOperation): Promise<{ inputs: Inputs; key: string }> {
  const tenant = await createTenant();
  const inputs = await inputsOfExamples(operationId)(createFixtures(tenant));
  return { inputs, key: inputs.key ?? tenant.key };
}

/** Media types of bodies that are sent as they are. */
const BYTE_TYPES = new Set<unknown>(['application/octet-stream', 'application/x-ndjson']);

const getContent = ({ requestBody }: ApiOperation) => Object.entries(requestBody?.content ?? {})[0];

export function shownBy(operation: ApiOperation): Shown {
  const examples = (place: string) =>
    Object.fromEntries(
      (operation.parameters ?? []).flatMap(({ in: at, name, example }) =>
        at === place && example !== undefined ? [[name, example]] : [],
      ),
    );
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const [type, answered] =
    Object.entries(success?.content ?? {}).find(([, media]) => 'example' in media) ?? [];
  return {
    params: examples('path') as Record<string, string>,
    query: examples('query'),
    body: getContent(operation)?.[1].example,
    ...(type && { type, answer: answered?.example }),
  };
}

/** Returns the documented request with the ids of the prepared resources. */
export function documentedInputs(operation: ApiOperation, prepared: Inputs): Inputs {
  const { params, query, body } = shownBy(operation);
  const [type, media] = getContent(operation) ?? [];
  const filled = fillIn(body, prepared.body ?? prepared.form);
  return {
    params: { ...(fillIn(params, prepared.params) as typeof params), ...uniqueNames(prepared.params) },
    query: asTexts(fillIn(query, prepared.query) as Record<string, unknown>),
    ...(type === 'application/json' && body !== undefined && { body: filled }),
    ...(type === 'multipart/form-data' && { form: asForm(filled as object, media?.schema, prepared) }),
    ...(BYTE_TYPES.has(type) && { bytes: String(body) }),
  };
}

/** Names in a path are replaced by the name of the prepared resource. */
const uniqueNames = (params: Inputs['params'] = {}) =>
  Object.fromEntries(
    Object.entries(params).filter(([name]) => name === 'name' && params.name?.includes(' ')),
  );

const asTexts = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value as string]));

function asForm(fields: object, schema: Schema | undefined, { form = {} }: Inputs) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isFile = schema?.properties?.[name]?.format === 'binary' || form[name] instanceof File;
      const file = form[name] instanceof File ? form[name].name : 'file.txt';
      return [name, isFile ? new File([String(value)], file) : String(value)];
    }),
  );
}

export const getMediaType = (headers: Headers) => headers.get('content-type')?.split(';')[0] ?? '';
export const isText = (type: string) => /^text\/|json|openmetrics/.test(type);

/** Converts URL parameters to the types in the description, and drops parameters that are not described. */
function typedParameters(
  { parameters = [] }: ApiOperation,
  place: 'path' | 'query',
  texts: Record<string, string>,
) {
  return Object.fromEntries(
    parameters
      .filter(({ in: at, name }) => at === place && texts[name] !== undefined)
      .map(({ name, schema }) => [name, typed(schema, texts[name]!)]),
  );
}

function typed(schema: Schema, text: string): unknown {
  const { type } = withoutNull(schema);
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return type === 'array' ? [text] : text;
}

const formTexts = async (form: NonNullable<Inputs['form']>) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(form).map(async ([name, value]) => [
        name,
        value instanceof File ? await value.text() : value,
      ]),
    ),
  );

/**
 * Sends the inputs of an operation and returns them with the answer, in values that are the same in every
 * recording.
 */
export async function record(operation: ApiOperation): Promise<unknown> {
  const { inputs, key } = await prepare(operation);
  const answer = await send(operation, inputs, operation.security?.length === 0 ? null : key);
  expectSuccess(answer);
  const type = getMediaType(answer.headers);
  const example = {
    params: inputs.params && typedParameters(operation, 'path', inputs.params),
    query: inputs.query && typedParameters(operation, 'query', inputs.query),
    body: inputs.body ?? inputs.bytes ?? (inputs.form && (await formTexts(inputs.form))),
    ...(type && { type, ...(isText(type) && { answer: answer.body }) }),
  };
  return stabilize(example, BASE);
}
