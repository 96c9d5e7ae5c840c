import { useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx';
import { type Schema, toLabel, unwrapNullable } from './schema.ts';

/** Form values by field name. A field without a value is not sent to the service. */
export type Values = Record<string, unknown>;

interface SchemaFormProps {
  schema: Schema;
  values: Values;
  onChange: (values: Values) => void;
  findError: (name: string) => string | undefined;
  /**
   * True if the form edits values that were saved before. A saved secret is kept unless the user enters a new
   * one.
   */
  isSaved: boolean;
}

/** Names of API fields that the console never shows in a form. */
const HIDDEN = new Set(['class_name']);

/** Renders a form from the schema of an operation. Required fields come before optional ones. */
export function SchemaForm({ schema, values, onChange, findError, isSaved }: SchemaFormProps) {
  const required = new Set(schema.required);
  const names = Object.keys(schema.properties ?? {}).filter((name) => !HIDDEN.has(name));
  const ordered = [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)),
  ];
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = values;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      {ordered.map((name) => (
        <SchemaField
          key={name}
          name={name}
          schema={schema.properties![name]!}
          optional={!required.has(name)}
          value={values[name]}
          onChange={(value) => set(name, value)}
          error={findError(name)}
          isSaved={isSaved}
        />
      ))}
    </>
  );
}

interface SchemaFieldProps {
  name: string;
  schema: Schema;
  optional: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
  isSaved: boolean;
}

function SchemaField({ name, schema, optional, value, onChange, error, isSaved }: SchemaFieldProps) {
  const known = unwrapNullable(schema);
  const type = known.types.length === 1 ? known.types[0] : undefined;
  const field = { label: toLabel(name), optional, error, hint: known.description };
  const defaultText = known.default === undefined || known.default === '' ? undefined : String(known.default);

  if (known.enum) {
    const texts = known.enum.map(String);
    const choices = [
      ...(optional
        ? [{ value: '', label: defaultText ? t('Default: {value}', { value: defaultText }) : t('Not set') }]
        : []),
      ...texts.map((word) => ({ value: word, label: word })),
    ];
    return (
      <Select
        {...field}
        choices={choices}
        value={value === undefined || value === null ? (optional ? '' : texts[0]) : String(value)}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
    );
  }
  if (type === 'boolean') {
    const checked = value ?? known.default ?? known.const;
    return (
      <Checkbox
        label={toLabel(name)}
        hint={error ?? known.description}
        checked={checked === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  if (type === 'integer' || type === 'number') {
    return (
      <TextField
        {...field}
        type="number"
        step={type === 'integer' ? 1 : 'any'}
        placeholder={defaultText}
        value={typeof value === 'number' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
      />
    );
  }
  if (known.format === 'password')
    return <Secret field={field} isSaved={isSaved} value={value} onChange={onChange} />;
  if (type === 'string') {
    return (
      <TextField
        {...field}
        placeholder={defaultText}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value || undefined)}
        autoComplete="off"
      />
    );
  }
  return <JsonField field={field} value={value} onChange={onChange} />;
}

interface InnerFieldProps {
  field: { label: string; optional: boolean; error: string | undefined; hint: string | undefined };
  value: unknown;
  onChange: (value: unknown) => void;
}

/**
 * Form field for a secret, whose value is never shown. If the user enters nothing, the console sends back the
 * mask of the saved secret. The service then keeps the secret.
 */
function Secret({ field, isSaved, value, onChange }: InnerFieldProps & { isSaved: boolean }) {
  const [saved] = useState(isSaved ? value : undefined);
  const isUnchanged = saved !== undefined && value === saved;
  return (
    <TextField
      {...field}
      type="password"
      autoComplete="new-password"
      placeholder={isUnchanged ? t('Unchanged unless you enter a new value') : undefined}
      value={isUnchanged || typeof value !== 'string' ? '' : value}
      onChange={(event) => onChange(event.target.value || saved)}
    />
  );
}

/** Field for a list or an object, edited as JSON. The value changes only when the text is valid JSON. */
function JsonField({ field, value, onChange }: InnerFieldProps) {
  const [text, setText] = useState(
    value === undefined || value === null ? '' : JSON.stringify(value, null, 2),
  );
  const [problem, setProblem] = useState<string>();
  const change = (typed: string) => {
    setText(typed);
    if (typed.trim() === '') {
      setProblem(undefined);
      onChange(undefined);
      return;
    }
    try {
      onChange(JSON.parse(typed));
      setProblem(undefined);
    } catch {
      setProblem(t('Enter valid JSON.'));
    }
  };
  return (
    <TextArea
      {...field}
      error={problem ?? field.error}
      code
      rows={3}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
}
