import { z } from 'zod';
import { SCHEMA_NAMES } from '#src/json-schema/named-schemas/index.ts';
import { checkSchema, SCHEMA_LIMITS, schemaMessage } from '#src/json-schema/rules.ts';
import { messageOf } from '#src/lib/errors.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { targetPages } from '#src/lib/text/target-pages.ts';
import { webhookUrl } from '#src/webhook-protocol/configuration.ts';
import { whyNoRules } from '../page-rules.ts';

// Parse parameters that not every number or text fits.

const share = () => z.number().min(0).max(1).nullish();
/** What is cut off one side has to leave something. */
const cut = () => z.number().min(0).lt(1).nullish();
const count = () => z.int().min(0).nullish();
const seconds = () => z.number().min(0).nullish();

/** A text of which `check` says what is wrong. Forms send empty fields, which ask for nothing. */
function text(description: string, check: (text: string) => string | undefined) {
  const checked = z.string().superRefine((given, context) => {
    const message = given === '' ? undefined : check(given);
    if (message) context.addIssue({ code: 'custom', message });
  });
  return checked.nullish().describe(description);
}

/** Top, right, bottom and left of what `bounding_box` cuts off; undefined when it is none. */
function sidesOf(box: string): [number, number, number, number] | undefined {
  const sides = box.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isBox = sides.length === 4 && sides.every((side) => side >= 0 && side <= 1);
  return isBox ? (sides as [number, number, number, number]) : undefined;
}

function whyNoPattern(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function whyNoJson(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null ? undefined : 'must be a JSON object or array';
  } catch {
    return 'must be JSON';
  }
}

function whyNoSchema(source: string): string | undefined {
  const most = SCHEMA_LIMITS.rawCharacters;
  if (source.length > most) return `has ${source.length} characters, at most ${most} are allowed`;
  const why = whyNoJson(source);
  if (why) return why;
  const check = checkSchema(JSON.parse(source));
  return check.ok ? undefined : schemaMessage(check.issues);
}

const whyNoSchemaName = (name: string) =>
  SCHEMA_NAMES.includes(name) ? undefined : `must be one of ${SCHEMA_NAMES.join(', ')}`;

function whyNoHttpUrl(url: string): string | undefined {
  return webhookUrl.safeParse(url).success ? undefined : 'must be an http(s) URL';
}

/** `host:port` as well as a URL: proxies are often named so. */
const isAddress = (given: string) => URL.canParse(given) || URL.canParse(`http://${given}`);

const NOT_WANTED = 'structured_output is false: there is none.';

const isModelAddress = (given: string) =>
  given.length <= 2_000 && isAddress(given) && (!given.includes('://') || /^https?:/i.test(given));

export const checkedParameters = {
  auto_mode_configuration_json: z
    .string()
    .superRefine((given, context) => {
      if (given === '') return;
      for (const issue of whyNoRules(given)) context.addIssue({ code: 'custom', ...issue });
    })
    .nullish()
    .describe('Rules as JSON: `[{"table_in_page": true, "parsing_conf": {"tier": "agentic"}}]`.'),
  auto_mode_trigger_on_regexp_in_page: text('A regular expression in RE2’s syntax.', whyNoPattern),
  bbox_bottom: cut(),
  bbox_left: cut(),
  bbox_right: cut(),
  bbox_top: cut(),
  bounding_box: text('`top,right,bottom,left`, each a fraction from 0 to 1.', (box) =>
    sidesOf(box) ? undefined : 'must be four fractions from 0 to 1: "top,right,bottom,left"',
  ),
  hostedllm_endpoint: text('A URL, or host and port.', (url) =>
    isModelAddress(url) ? undefined : 'must be an http(s) URL',
  ),
  http_proxy: text('A URL, or host and port.', (url) => (isAddress(url) ? undefined : 'must be a URL')),
  input_url: text('An http(s) URL.', whyNoHttpUrl),
  job_timeout_extra_time_per_page_in_seconds: withoutEffect(
    seconds().describe('Added to job_timeout_in_seconds for each page of the document.'),
    (value, { job_timeout_in_seconds: base }) =>
      value && !base ? 'It adds to job_timeout_in_seconds, which is not given.' : undefined,
  ),
  job_timeout_in_seconds: seconds().describe('A parse that takes longer fails; 0 means no limit of its own.'),
  max_pages: count().describe('0 means all.'),
  max_pages_enforced: count().describe('Documents with more pages fail; 0 means no limit.'),
  page_error_tolerance: share().describe('The share of pages that may be unreadable.'),
  structured_output_json_schema: withoutEffect(
    text(
      'A JSON Schema, as JSON, that is filled in from the document beside its pages; the rules are those of extract jobs.',
      whyNoSchema,
    ),
    (_schema, { structured_output: isWanted }) => (isWanted === false ? NOT_WANTED : undefined),
  ),
  structured_output_json_schema_name: withoutEffect(
    text(`The name of a schema to fill in: ${SCHEMA_NAMES.join(', ')}.`, whyNoSchemaName),
    (_name, { structured_output: isWanted, structured_output_json_schema: schema }) => {
      if (isWanted === false) return NOT_WANTED;
      return schema ? 'structured_output_json_schema gives the schema.' : undefined;
    },
  ),
  target_pages: text(
    '1-based pages and ranges of them, such as `1-3,7`.',
    (pages) => targetPages.safeParse(pages).error?.issues[0]?.message,
  ),
  webhook_url: text('An http(s) URL that is told of every event of the parse.', whyNoHttpUrl),
};

interface Cuts {
  bbox_bottom?: number | null | undefined;
  bbox_left?: number | null | undefined;
  bbox_right?: number | null | undefined;
  bbox_top?: number | null | undefined;
  bounding_box?: string | null | undefined;
}

/** Refuses cuts that leave nothing of a page to read. */
export function refuseEmptyArea(cuts: Cuts, context: z.core.$RefinementCtx): void {
  const [top, right, bottom, left] = sidesOf(cuts.bounding_box ?? '') ?? [0, 0, 0, 0];
  const height = (cuts.bbox_top ?? top) + (cuts.bbox_bottom ?? bottom);
  const width = (cuts.bbox_left ?? left) + (cuts.bbox_right ?? right);
  if (height < 1 && width < 1) return;
  const named = height < 1 ? (['bbox_right', 'bbox_left'] as const) : (['bbox_bottom', 'bbox_top'] as const);
  const field = named.find((name) => typeof cuts[name] === 'number') ?? 'bounding_box';
  context.addIssue({ code: 'custom', path: [field], message: 'opposite sides leave nothing of the page' });
}
