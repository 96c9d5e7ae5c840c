import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import type { ParameterDefinition } from './define.ts';
import { imageParameters } from './images.ts';
import { jobParameters } from './job.ts';
import { layoutParameters } from './layout.ts';
import { modelParameters } from './model.ts';
import { ocrParameters } from './ocr.ts';
import { outputParameters } from './output.ts';
import { pageParameters, rejectEmptyArea } from './pages.ts';
import { presentationParameters } from './presentation.ts';
import { spreadsheetParameters } from './spreadsheet.ts';
import { tableParameters } from './tables.ts';

/** All parse parameters by group. docs/reference/parse-parameters.md is generated from them. */
export const PARAMETER_GROUPS = {
  pages: { title: 'Pages', parameters: pageParameters },
  layout: { title: 'Layout and text', parameters: layoutParameters },
  tables: { title: 'Tables', parameters: tableParameters },
  images: { title: 'Images', parameters: imageParameters },
  ocr: { title: 'OCR', parameters: ocrParameters },
  spreadsheet: { title: 'Spreadsheets', parameters: spreadsheetParameters },
  presentation: { title: 'Presentations', parameters: presentationParameters },
  output: { title: 'Output', parameters: outputParameters },
  model: { title: 'Language models', parameters: modelParameters },
  job: { title: 'Jobs, input and notification', parameters: jobParameters },
};
export type ParameterGroup = keyof typeof PARAMETER_GROUPS;

const declared = {
  ...pageParameters,
  ...layoutParameters,
  ...tableParameters,
  ...imageParameters,
  ...ocrParameters,
  ...spreadsheetParameters,
  ...presentationParameters,
  ...outputParameters,
  ...modelParameters,
  ...jobParameters,
};
type Declared = typeof declared;
export type ParameterName = keyof Declared;

/** Definitions of all parameters by name, in alphabetical order. */
export const PARAMETERS = Object.fromEntries(
  Object.entries(declared).toSorted(([a], [b]) => (a < b ? -1 : 1)),
) as Declared;

type Fields = { [Name in ParameterName]: Declared[Name]['schema'] };

function collectSchemas(selectSchema: (definition: ParameterDefinition) => z.ZodType): Fields {
  const schemas = Object.entries<ParameterDefinition>(PARAMETERS).map(([name, definition]) => [
    name,
    selectSchema(definition),
  ]);
  return Object.fromEntries(schemas) as Fields;
}

export const parseParameters = z.object(collectSchemas(({ schema }) => schema)).superRefine(rejectEmptyArea);

export type ParseParameters = z.infer<typeof parseParameters>;

/**
 * Parse parameters of a pipeline. Parameters that only jobs can use are accepted, and the response warns that
 * they have no effect.
 */
export const pipelineParseParameters = z
  .object(
    collectSchemas(({ schema, options }) =>
      options.withoutEffectInPipelines === undefined
        ? schema
        : withoutEffect(
            schema.describe(`${options.description} No effect in a pipeline.`),
            options.withoutEffectInPipelines,
          ),
    ),
  )
  .superRefine(rejectEmptyArea);

const isShared = ({ effect, options }: ParameterDefinition) =>
  options.sharesParse ?? ['input', 'output', 'reporting'].includes(effect);

/**
 * Names of the parameters that do not change the result of reading. Parses of equal bytes that differ only in
 * these share their pages.
 */
export const SHARING_PARAMETERS: ReadonlySet<string> = new Set(
  Object.entries<ParameterDefinition>(PARAMETERS).flatMap(([name, definition]) =>
    isShared(definition) ? [name] : [],
  ),
);
