import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import type { ParameterDefinition } from './define.ts';
import { imageParameters } from './images.ts';
import { jobParameters } from './job.ts';
import { layoutParameters } from './layout.ts';
import { modelParameters } from './model.ts';
import { ocrParameters } from './ocr.ts';
import { outputParameters } from './output.ts';
import { pageParameters, refuseEmptyArea } from './pages.ts';
import { presentationParameters } from './presentation.ts';
import { spreadsheetParameters } from './spreadsheet.ts';
import { tableParameters } from './tables.ts';

/** Every parse parameter, declared once, by group. docs/parse-parameters.md is generated from this. */
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

/** The definition of every parameter, by name, in alphabetical order. */
export const PARAMETERS = Object.fromEntries(
  Object.entries(declared).toSorted(([a], [b]) => (a < b ? -1 : 1)),
) as Declared;

type Fields = { [Name in ParameterName]: Declared[Name]['schema'] };

function collectSchemas(schemaOf: (definition: ParameterDefinition) => z.ZodType): Fields {
  const schemas = Object.entries<ParameterDefinition>(PARAMETERS).map(([name, definition]) => [
    name,
    schemaOf(definition),
  ]);
  return Object.fromEntries(schemas) as Fields;
}

export const parseParameters = z.object(collectSchemas(({ schema }) => schema)).superRefine(refuseEmptyArea);

export type ParseParameters = z.infer<typeof parseParameters>;

/** The parameters of a pipeline. Those that only a job can use are accepted there, and the answer warns of them. */
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
  .superRefine(refuseEmptyArea);

const isShared = ({ effect, options }: ParameterDefinition) =>
  options.sharesParse ?? ['input', 'output', 'reporting'].includes(effect);

/** Parameters in which two parses of the same bytes may differ and still share their pages. */
export const SHARING_PARAMETERS: ReadonlySet<string> = new Set(
  Object.entries<ParameterDefinition>(PARAMETERS).flatMap(([name, definition]) =>
    isShared(definition) ? [name] : [],
  ),
);
