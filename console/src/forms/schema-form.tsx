import { useState } from 'react';
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx';
import { labelOf, type Schema, settled } from './schema.ts';

/** Values of a form by the names of their members; what is absent is not sent. */
export type Values = Record<string, unknown>;

interface SchemaFormProps {
  schema: Schema;
  values: Values;
  onChange: (values: Values) => void;
  /** What is wrong with a member. */
  errorOf: (name: string) => string | undefined;
  /** What was saved before: a secret of it is kept unless another is typed. */
  isSaved: boolean;
}

/** Members that no person sets. */
const HIDDEN = new Set(['class_name']);

/** A form made of the schema of an operation: what is needed first, then what may be left as it is. */
export function SchemaForm({ schema, values, onChange, errorOf, isSaved }: SchemaFormProps) {
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
        <Member
          key={name}
          name={name}
          schema={schema.properties![name]!}
          optional={!required.has(name)}
          value={values[name]}
          onChange={(value) => set(name, value)}
          error={errorOf(name)}
          isSaved={isSaved}
        />
      ))}
    </>
  );
}

interface MemberProps {
  name: string;
  schema: Schema;
  optional: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
  isSaved: boolean;
}

function Member({ name, schema, optional, value, onChange, error, isSaved }: MemberProps) {
  const known = settled(schema);
  const type = known.types.length === 1 ? known.types[0] : undefined;
  const field = { label: labelOf(name), optional, error, hint: known.description };
  const usual = known.default === undefined || known.default === '' ? undefined : String(known.default);

  if (known.enum) {
    const words = known.enum.map(String);
    const choices = [
      ...(optional ? [{ value: '', label: usual ? `As usual: ${usual}` : 'Not set' }] : []),
      ...words.map((word) => ({ value: word, label: word })),
    ];
    return (
      <Select
        {...field}
        choices={choices}
        value={value === undefined || value === null ? (optional ? '' : words[0]) : String(value)}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
    );
  }
  if (type === 'boolean') {
    const checked = value ?? known.default ?? known.const;
    return (
      <Checkbox
        label={labelOf(name)}
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
        placeholder={usual}
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
        placeholder={usual}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value || undefined)}
        autoComplete="off"
      />
    );
  }
  return <JsonField field={field} value={value} onChange={onChange} />;
}

interface FieldOf {
  field: { label: string; optional: boolean; error: string | undefined; hint: string | undefined };
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Its value is written and never shown; the mask of the saved one goes back as it came, which keeps it. */
function Secret({ field, isSaved, value, onChange }: FieldOf & { isSaved: boolean }) {
  const [saved] = useState(isSaved ? value : undefined);
  const isKept = saved !== undefined && value === saved;
  return (
    <TextField
      {...field}
      type="password"
      autoComplete="new-password"
      placeholder={isKept ? 'Kept unless you type another' : undefined}
      value={isKept || typeof value !== 'string' ? '' : value}
      onChange={(event) => onChange(event.target.value || saved)}
    />
  );
}

/** Lists and objects, as JSON; sent when they can be read as that. */
function JsonField({ field, value, onChange }: FieldOf) {
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
      setProblem('This is not JSON yet.');
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
