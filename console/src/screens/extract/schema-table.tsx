import { useEffect, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import styles from './extract.module.css';
import {
  convertToKind,
  type FieldRow,
  findFreeName,
  findGroup,
  findKind,
  getKinds,
  type Kind,
  listFields,
  replaceFields,
  replaceGroup,
  type Schema,
} from './schema.ts';

interface SchemaTableProps {
  group: Schema;
  /** Path of a nested group, such as "sender". The labels of the group's fields start with the path. */
  place?: string;
  onChange: (group: Schema) => void;
}

const getAllKinds = () => Object.entries(getKinds()).map(([value, label]) => ({ value, label }));

/** Edits the fields of an object, one per row, with nested fields below their group. */
export function SchemaTable({ group, place = '', onChange }: SchemaTableProps) {
  const fields = listFields(group);
  const set = (next: FieldRow[]) => onChange(replaceFields(group, next));
  return (
    <div className={styles.fields}>
      {fields.map((field, at) => (
        <FieldEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: a field keeps its position while its name is edited
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
          set([...fields, { name: findFreeName(fields), node: { type: 'string' }, isRequired: false }])
        }
      >
        {place ? t('Add a field to {place}', { place }) : t('Add a field')}
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
  const kind = findKind(node);
  const group = findGroup(node);
  const problem =
    name.trim() === ''
      ? t('A field needs a name')
      : isTaken(name)
        ? t('Another field has this name')
        : undefined;
  return (
    <fieldset className={styles.field}>
      <legend className="visually-hidden">{place}</legend>
      <div className={styles.row}>
        <TextField
          label={t('Name of {place}', { place })}
          hideLabel
          value={name}
          error={problem}
          spellCheck={false}
          onChange={({ target }) => setName(target.value)}
          onBlur={() => !problem && name !== field.name && onChange({ ...field, name })}
        />
        <Select
          label={t('Type of {place}', { place })}
          hideLabel
          value={kind ?? ''}
          choices={kind ? getAllKinds() : [{ value: '', label: t('Edit as JSON') }, ...getAllKinds()]}
          onChange={({ target }) => onChange({ ...field, node: convertToKind(node, target.value as Kind) })}
        />
        <TextField
          label={t('Description of {place}', { place })}
          hideLabel
          placeholder={t('What the field contains and how to recognise it')}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => text !== described && onChange({ ...field, node: { ...node, description: text } })}
        />
        <Checkbox
          label={t('Required')}
          aria-label={t('{place} is required', { place })}
          checked={isRequired}
          onChange={({ target }) => onChange({ ...field, isRequired: target.checked })}
        />
        <IconButton icon="trash" small label={t('Remove {place}', { place })} onClick={onRemove} />
      </div>
      {group && (
        <SchemaTable
          group={group}
          place={place}
          onChange={(next) => onChange({ ...field, node: replaceGroup(node, next) })}
        />
      )}
    </fieldset>
  );
}
