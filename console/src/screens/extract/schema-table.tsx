import { useEffect, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import styles from './extract.module.css';
import {
  type FieldRow,
  fieldsOf,
  freeName,
  groupOf,
  KINDS,
  type Kind,
  kindOf,
  ofKind,
  type Schema,
  withFields,
  withGroup,
} from './schema.ts';

interface SchemaTableProps {
  group: Schema;
  /** The group's own place, for the labels of its fields: "sender". */
  place?: string;
  onChange: (group: Schema) => void;
}

const kinds = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** The fields of an object, one a row, with those of its groups beneath them. */
export function SchemaTable({ group, place = '', onChange }: SchemaTableProps) {
  const fields = fieldsOf(group);
  const set = (next: FieldRow[]) => onChange(withFields(group, next));
  return (
    <div className={styles.fields}>
      {fields.map((field, at) => (
        <FieldEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: a field keeps its place while its name is typed
          key={at}
          field={field}
          place={place ? `${place}.${field.name}` : field.name}
          isTaken={(name) => fields.some((each, other) => other !== at && each.name === name)}
          onChange={(next) => set(fields.with(at, next))}
          onRemove={() => set(fields.toSpliced(at, 1))}
        />
      ))}
      <Button
        small
        icon="plus"
        onClick={() =>
          set([...fields, { name: freeName(fields), node: { type: 'string' }, isRequired: false }])
        }
      >
        {place ? `Add a field to ${place}` : 'Add a field'}
      </Button>
    </div>
  );
}

interface FieldEditorProps {
  field: FieldRow;
  place: string;
  isTaken: (name: string) => boolean;
  onChange: (field: FieldRow) => void;
  onRemove: () => void;
}

function FieldEditor({ field, place, isTaken, onChange, onRemove }: FieldEditorProps) {
  const { node, isRequired } = field;
  const [name, setName] = useState(field.name);
  useEffect(() => setName(field.name), [field.name]);
  const described = typeof node.description === 'string' ? node.description : '';
  const [text, setText] = useState(described);
  useEffect(() => setText(described), [described]);
  const kind = kindOf(node);
  const group = groupOf(node);
  const problem =
    name.trim() === '' ? 'A field needs a name' : isTaken(name) ? 'Another field has this name' : undefined;
  return (
    <fieldset className={styles.field}>
      <legend className="visually-hidden">{place}</legend>
      <div className={styles.row}>
        <TextField
          label={`Name of ${place}`}
          hideLabel
          value={name}
          error={problem}
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
          onBlur={() => !problem && name !== field.name && onChange({ ...field, name })}
        />
        <Select
          label={`Type of ${place}`}
          hideLabel
          value={kind ?? ''}
          choices={kind ? kinds : [{ value: '', label: 'See the JSON' }, ...kinds]}
          onChange={({ target }) => onChange({ ...field, node: ofKind(node, target.value as Kind) })}
        />
        <TextField
          label={`Description of ${place}`}
          hideLabel
          placeholder="What it is and how it is recognised"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => text !== described && onChange({ ...field, node: { ...node, description: text } })}
        />
        <Checkbox
          label="Required"
          aria-label={`${place} is required`}
          checked={isRequired}
          onChange={({ target }) => onChange({ ...field, isRequired: target.checked })}
        />
        <IconButton icon="trash" small label={`Remove ${place}`} onClick={onRemove} />
      </div>
      {group && (
        <SchemaTable
          group={group}
          place={place}
          onChange={(next) => onChange({ ...field, node: withGroup(node, next) })}
        />
      )}
    </fieldset>
  );
}
