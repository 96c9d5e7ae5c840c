import { type KeyboardEvent, useRef, useState } from 'react';
import { t } from '../../../i18n/messages.ts';
import { parseDraft, toDraft, type ValueColumn } from '../columns.ts';
import styles from './review.module.css';

interface ValueEditorProps {
  column: ValueColumn;
  value: unknown;
  fileName: string;
  /** Saves the value. Resolves to false if the service refused it, so that editing goes on. */
  onSave: (value: unknown) => Promise<boolean>;
  onClose: () => void;
}

/** Field for one value. Enter saves, and Escape keeps the earlier value. An empty field means "not found". */
export function ValueEditor({ column, value, fileName, onSave, onClose }: ValueEditorProps) {
  const initial = toDraft(value, column.kind);
  const [draft, setDraft] = useState(initial);
  const [error, setError] = useState<string>();
  // Removing the field from the page may blur it, which must not save the value again.
  const isDone = useRef(false);
  const close = () => {
    isDone.current = true;
    onClose();
  };
  const save = async () => {
    if (isDone.current) return;
    if (draft === initial) return close();
    isDone.current = true;
    try {
      if (await onSave(parseDraft(draft, column.kind))) return onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    isDone.current = false;
  };
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') void save();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  const shared = {
    'aria-label': t('{label} of {name}', { label: column.label, name: fileName }),
    'aria-invalid': error ? true : undefined,
    title: error,
    className: styles.editor,
    value: draft,
    autoFocus: true,
    onKeyDown: press,
    onBlur: () => void save(),
    onChange: ({ target }: { target: { value: string } }) => setDraft(target.value),
  };
  const choices = column.kind === 'boolean' ? ['true', 'false'] : column.choices;
  if (choices) {
    return (
      <select {...shared}>
        <option value="">{t('Not found')}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      type={column.kind === 'date' ? 'date' : 'text'}
      inputMode={column.kind === 'number' ? 'decimal' : undefined}
      dir="auto"
      spellCheck={false}
      autoComplete="off"
    />
  );
}
