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
  /** Called when editing has ended. `hadFocus` is false if the user has moved the focus elsewhere. */
  onClose: (hadFocus: boolean) => void;
}

/**
 * Field for one value. Enter and leaving the field save, and Escape keeps the earlier value. An empty field
 * means "not found".
 */
export function ValueEditor({ column, value, fileName, onSave, onClose }: ValueEditorProps) {
  const initial = toDraft(value, column.kind);
  const [draft, setDraft] = useState(initial);
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // Removing the field from the page may blur it, which must not save the value again.
  const isDone = useRef(false);
  const close = () => {
    isDone.current = true;
    onClose(field.current !== null && field.current === document.activeElement);
  };
  const save = async () => {
    if (isDone.current) return;
    if (draft === initial) return close();
    isDone.current = true;
    try {
      if (await onSave(parseDraft(draft, column.kind))) return close();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    isDone.current = false;
  };
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    // While the user composes a character with an input method, such as for Japanese, Enter only confirms the
    // suggestion, and Escape rejects it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') void save();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  const shared = {
    ref: field,
    'aria-label': t('{label} of {name}', { label: column.label, name: fileName }),
    'aria-invalid': error ? true : undefined,
    title: error,
    className: styles.editor,
    value: draft,
    autoFocus: true,
    onKeyDown: press,
    onBlur: () => {
      // The field stays the active element if the whole window has lost the focus. Editing then goes on.
      if (field.current !== document.activeElement) void save();
    },
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
