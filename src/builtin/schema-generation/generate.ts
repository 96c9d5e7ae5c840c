import type { Page } from '#src/documents/document.ts';
import { withExtractDefaults } from '#src/extraction/configuration.ts';
import { fieldsOfPrompt } from '#src/extraction/prompt-fields.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { Invalid } from '#src/lib/errors.ts';
import { fieldsOfPages } from './page-fields.ts';

export interface GenerateInput {
  /** At most 255 characters; made from the prompt or document when absent. */
  name?: string | null | undefined;
  prompt?: string | null | undefined;
  pages?: Page[] | undefined;
  /** Kept as it is, then refined by the prompt and extended. */
  dataSchema?: Record<string, unknown> | null | undefined;
  /** For the name: the document's own title. */
  title?: string | undefined;
}

/** A configuration ready to be saved: POST it to /api/v1/beta/configurations as it stands. */
export interface GeneratedConfiguration {
  name: string;
  parameters: { product_type: 'extract_v2' } & ReturnType<typeof withExtractDefaults>;
}

/**
 * A schema without a model: the nouns of the prompt, else the labels and tables of the pages, on top of an
 * existing schema. Throws Invalid when the given schema breaks a rule or nothing to build from is given.
 */
export function generateConfiguration(input: GenerateInput): GeneratedConfiguration {
  const base = input.dataSchema ? validateSchema(input.dataSchema) : undefined;
  const asked = fieldsOfPrompt(input.prompt ?? '');
  const fromPages =
    Object.keys(asked.properties).length === 0 && input.pages ? fieldsOfPages(input.pages) : {};
  const properties: Record<string, JsonSchema> = { ...base?.properties };
  for (const [name, schema] of Object.entries({ ...asked.properties, ...fromPages })) {
    // What the caller wrote wins over what is guessed.
    if (!Object.hasOwn(properties, name)) properties[name] = schema;
    else properties[name] = withDescription(properties[name]!, schema);
  }
  for (const name of asked.removed) delete properties[name];
  if (Object.keys(properties).length === 0) {
    throw Invalid.field(
      ['prompt'],
      'names no fields; give a prompt with field names, a file with labels, or a data_schema',
    );
  }
  const required = [...new Set([...(base?.required ?? []), ...asked.required])].filter((name) =>
    Object.hasOwn(properties, name),
  );
  const { required: _old, ...rest } = base ?? {};
  const schema: JsonSchema = {
    ...rest,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  };
  return configurationOf(input, schema);
}

/** A schema as a configuration, named as asked, as `suggestion` says, or after what it is about. */
export function configurationOf(
  input: GenerateInput,
  schema: JsonSchema,
  suggestion?: string,
): GeneratedConfiguration {
  const configuration = withExtractDefaults({ data_schema: schema });
  return {
    name: (input.name?.trim() || suggestion || automaticName(input, schema)).slice(0, 255),
    parameters: { product_type: 'extract_v2', ...configuration },
  };
}

function withDescription(own: JsonSchema, other: JsonSchema): JsonSchema {
  return own.description || !isRecord(own) || !other.description
    ? own
    : { ...own, description: other.description };
}

/** "Invoice fields": what the prompt, schema or document is about, in a few words. */
function automaticName(input: GenerateInput, schema: JsonSchema): string {
  const about = /\b(?:from|of|for|in) (?:the|this|these|each|every|an?|my|our)? ?((?:\p{L}+ ?){1,3})/iu.exec(
    (input.prompt ?? '').replace(/\s+/g, ' '),
  );
  const subject =
    about?.[1]?.trim() ||
    (typeof schema.title === 'string' && schema.title) ||
    input.title ||
    heading(input.pages);
  const label =
    subject ||
    Object.keys(schema.properties ?? {})
      .slice(0, 3)
      .join(', ')
      .replace(/_/g, ' ');
  return `${label.charAt(0).toUpperCase()}${label.slice(1, 80)} extraction`;
}

function heading(pages: Page[] | undefined): string | undefined {
  const block = pages?.[0]?.blocks.find((item) => item.type === 'heading');
  return block?.text.replace(/\s+/g, ' ').trim();
}
