import type { z } from 'zod';
import type { Issue } from '#src/lib/errors.ts';

export type Described = Pick<Issue, 'msg' | 'type' | 'ctx'>;

const TYPE_NAMES: Record<string, [type: string, what: string]> = {
  string: ['string_type', 'string'],
  number: ['float_type', 'number'],
  int: ['int_type', 'integer'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  tuple: ['tuple_type', 'tuple'],
  object: ['model_attributes_type', 'object'],
  record: ['dict_type', 'object'],
  null: ['none_required', 'null'],
  date: ['datetime_type', 'datetime'],
};

const FORMAT_NAMES: Record<string, [type: string, what: string]> = {
  uuid: ['uuid_parsing', 'UUID'],
  guid: ['uuid_parsing', 'UUID'],
  url: ['url_parsing', 'URL'],
  datetime: ['datetime_parsing', 'datetime (ISO 8601)'],
  date: ['date_parsing', 'date (ISO 8601)'],
  time: ['time_parsing', 'time (ISO 8601)'],
  json_string: ['json_invalid', 'JSON text'],
};

/**
 * Converts one zod issue to the type, message and context that pydantic reports. `input` is `undefined` if
 * the validated value is not available.
 */
export function describeIssue(
  issue: z.core.$ZodIssue,
  input: { value: unknown } | undefined,
  wantsInt: boolean,
): Described {
  const absent = input ? input.value === undefined : /received undefined$/.test(issue.message);
  const canBeAbsent = ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code);
  if (absent && canBeAbsent) return { type: 'missing', msg: 'Field required' };
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue, input?.value, wantsInt);
    case 'invalid_value':
      return describeOptions(issue.values);
    case 'invalid_union':
      return describeUnion(issue);
    case 'too_small':
    case 'too_big':
      return describeBound(issue, input?.value);
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return {
        type: 'multiple_of',
        msg: `Input should be a multiple of ${issue.divisor}`,
        ctx: { multiple_of: Number(issue.divisor) },
      };
    case 'unrecognized_keys':
      return { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
    case 'custom':
      return describeCustom(issue);
    default:
      return valueError(issue.message);
  }
}

function describeType(issue: z.core.$ZodIssueInvalidType, value: unknown, wantsInt: boolean): Described {
  const expected = wantsInt && issue.expected === 'number' ? 'int' : issue.expected;
  if (expected === 'int' && typeof value !== 'string' && 'format' in issue) {
    const msg = 'Input should be a valid integer, got a number with a fractional part';
    return { type: 'int_from_float', msg };
  }
  const [type, what] = TYPE_NAMES[expected] ?? [`${expected}_type`, expected];
  const msg = `Input should be a valid ${what}`;
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { type: 'finite_number', msg: 'Input should be a finite number' };
  }
  if (typeof value !== 'string') return { type, msg };
  if (expected === 'int') return { type: 'int_parsing', msg: `${msg}, unable to parse string as an integer` };
  if (expected === 'number')
    return { type: 'float_parsing', msg: `${msg}, unable to parse string as a number` };
  if (expected === 'boolean') return { type: 'bool_parsing', msg: `${msg}, unable to interpret input` };
  return { type, msg };
}

function describeOptions(values: readonly unknown[]): Described {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const expected = shown.length > 1 ? `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}` : shown.join('');
  const type = values.length > 1 ? 'enum' : 'literal_error';
  return { type, msg: `Input should be ${expected}`, ctx: { expected } };
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion): Described {
  if ('options' in issue && issue.options) return describeOptions(issue.options);
  const kinds = issue.errors.flatMap((branch) =>
    branch.map((each) => ('expected' in each ? each.expected : '')),
  );
  const [first, ...others] = [...new Set(kinds)].filter((kind) => kind !== '');
  if (first === undefined) return valueError(issue.message);
  const names = [first, ...others].map((kind) => TYPE_NAMES[kind]?.[1] ?? kind);
  return {
    type: TYPE_NAMES[first]?.[0] ?? `${first}_type`,
    msg: `Input should be a valid ${[...new Set(names)].join(' or ')}`,
  };
}

function describeBound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, value: unknown): Described {
  const low = issue.code === 'too_small';
  const limit = Number(low ? issue.minimum : issue.maximum);
  const items = `${limit} ${issue.origin === 'string' ? 'character' : 'item'}${limit === 1 ? '' : 's'}`;
  if (issue.origin === 'string') {
    return low
      ? { type: 'string_too_short', msg: `String should have at least ${items}`, ctx: { min_length: limit } }
      : { type: 'string_too_long', msg: `String should have at most ${items}`, ctx: { max_length: limit } };
  }
  if (['array', 'set', 'map', 'object', 'record'].includes(issue.origin)) {
    const count = Array.isArray(value) ? { actual_length: value.length } : {};
    const not = Array.isArray(value) ? `, not ${value.length}` : '';
    return low
      ? {
          type: 'too_short',
          msg: `List should have at least ${items} after validation${not}`,
          ctx: { field_type: 'List', min_length: limit, ...count },
        }
      : {
          type: 'too_long',
          msg: `List should have at most ${items} after validation${not}`,
          ctx: { field_type: 'List', max_length: limit, ...count },
        };
  }
  const orEqual = issue.inclusive !== false;
  const type = `${low ? 'greater_than' : 'less_than'}${orEqual ? '_equal' : ''}`;
  const msg = `Input should be ${low ? 'greater' : 'less'} than ${orEqual ? 'or equal to ' : ''}${limit}`;
  return { type, msg, ctx: { [low ? (orEqual ? 'ge' : 'gt') : orEqual ? 'le' : 'lt']: limit } };
}

function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): Described {
  const named = FORMAT_NAMES[issue.format];
  if (named) return { type: named[0], msg: `Input should be a valid ${named[1]}` };
  if (issue.format !== 'regex') return valueError(issue.message);
  const pattern = String(issue.pattern).replace(/^\/(.*)\/[a-z]*$/s, '$1');
  return {
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${pattern}'`,
    ctx: { pattern },
  };
}

/**
 * Describes the issue of a refinement. A refinement may set its own type and context: `.refine(test, {
 * params: { type, ctx } })`.
 */
function describeCustom(issue: z.core.$ZodIssueCustom): Described {
  const type: unknown = issue.params?.type;
  if (typeof type !== 'string') return valueError(issue.message);
  const ctx = issue.params?.ctx as Record<string, unknown> | undefined;
  return { type, msg: issue.message, ...(ctx && { ctx }) };
}

function valueError(message: string): Described {
  return { type: 'value_error', msg: `Value error, ${message}`, ctx: { error: message } };
}
