import type { Page } from '#src/documents/document.ts';
import { applyExtractDefaults } from '#src/extraction/configuration.ts';
import { parsePromptFields } from '#src/extraction/prompt-fields.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { Invalid } from '#src/lib/errors.ts';
import { inferPageFields } from './page-fields.ts';

export interface GenerateInput {
  /**
   * Name of the configuration, cut to 255 characters. If absent, a name is derived from the prompt, the
   * schema or the document.
   */
  name?: string | null | undefined;
  prompt?: string | null | undefined;
  pages?: Page[] | undefined;
  /** Existing schema. The prompt can add, describe, require and remove fields. */
  dataSchema?: Record<string, unknown> | null | undefined;
  /** Title of the document, from which a name can be derived. */
  title?: string | undefined;
}

/** Extract configuration that can be sent to POST /api/v1/beta/configurations unchanged. */
export interface GeneratedConfiguration {
  name: string;
  parameters: { product_type: 'extract_v2' } & ReturnType<typeof applyExtractDefaults>;
}

/**
 * Generates an extract configuration without a language model. Fields come from the nouns of the prompt, or
 * otherwise from labels and tables on the pages. They are added to the existing schema, if given. Throws
 * `Invalid` if the existing schema is invalid or no field is found.
 */
export function generateConfiguration(input: GenerateInput): GeneratedConfiguration {
  const base = input.dataSchema ? validateSchema(input.dataSchema) : undefined;
  const promptFields = parsePromptFields(input.prompt ?? '');
  const fromPages =
    Object.keys(promptFields.properties).length === 0 && input.pages ? inferPageFields(input.pages) : {};
  const properties: Record<string, JsonSchema> = { ...base?.properties };
  for (const [name, schema] of Object.entries({ ...promptFields.properties, ...fromPages })) {
    if (!Object.hasOwn(properties, name)) properties[name] = schema;
    else properties[name] = addDescription(properties[name]!, schema);
  }
  for (const name of promptFields.removed) delete properties[name];
  if (Object.keys(properties).length === 0) {
    throw Invalid.field(
      ['prompt'],
      'names no fields. Provide a prompt with field names, a file with labels, or a data_schema.',
    );
  }
  const required = [...new Set([...(base?.required ?? []), ...promptFields.required])].filter((name) =>
    Object.hasOwn(properties, name),
  );
  const { required: _old, ...rest } = base ?? {};
  const schema: JsonSchema = {
    ...rest,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  };
  return toConfiguration(input, schema);
}

/**
 * Builds an extract configuration from a schema. Its name is `input.name` or else `suggestion`. Without both,
 * the name is derived from the prompt, the schema or the document.
 */
export function toConfiguration(
  input: GenerateInput,
  schema: JsonSchema,
  suggestion?: string,
): GeneratedConfiguration {
  const configuration = applyExtractDefaults({ data_schema: schema });
  return {
    name: (input.name?.trim() || suggestion || suggestName(input, schema)).slice(0, 255),
    parameters: { product_type: 'extract_v2', ...configuration },
  };
}

function addDescription(own: JsonSchema, other: JsonSchema): JsonSchema {
  return own.description || !isRecord(own) || !other.description
    ? own
    : { ...own, description: other.description };
}

/** Derives a name such as "Invoice extraction" from the prompt, the schema or the document. */
function suggestName(input: GenerateInput, schema: JsonSchema): string {
  const about = /\b(?:from|of|for|in) (?:the|this|these|each|every|an?|my|our)? ?((?:\p{L}+ ?){1,3})/iu.exec(
    (input.prompt ?? '').replace(/\s+/g, ' '),
  );
  const subject =
    about?.[1]?.trim() ||
    (typeof schema.title === 'string' && schema.title) ||
    input.title ||
    findHeading(input.pages);
  const label =
    subject ||
    Object.keys(schema.properties ?? {})
      .slice(0, 3)
      .join(', ')
      .replace(/_/g, ' ');
  return `${label.charAt(0).toUpperCase()}${label.slice(1, 80)} extraction`;
}

function findHeading(pages: Page[] | undefined): string | undefined {
  const block = pages?.[0]?.blocks.find((item) => item.type === 'heading');
  return block?.text.replace(/\s+/g, ' ').trim();
}
