import { type ComponentProps, type KeyboardEvent, useId, useRef, useState } from 'react';
import { t } from '../../../i18n/messages.ts';
import { type Batch, type Item, parseDraft, readCell, toDraft, type ValueColumn } from '../columns.ts';
import type { SaveOutcome } from '../use-review.ts';
import styles from './review.module.css';

interface ValueEditorProps {
  jobType: Batch['job_type'];
  /** The file as it was when the editor was opened. */
  item: Item;
  column: ValueColumn;
  fileName: string;
  /** Saves the value for the given state of the file. If the value is not saved, editing goes on. */
  onSave: (item: Item, value: unknown) => Promise<SaveOutcome>;
  /** Called when editing has ended. `hadFocus` is false if the user has moved the focus elsewhere. */
  onClose: (hadFocus: boolean) => void;
}

/**
 * Field for one value. Enter and leaving the field save, and Escape keeps the earlier value. An empty field
 * means "not found". If another user has changed the file meanwhile, the field says so and keeps the typed value,
 * which can then be saved over the change.
 */
export function ValueEditor({ jobType, item, column, fileName, onSave, onClose }: ValueEditorProps) {
  const toText = (of: Item) => toDraft(readCell(of, column, jobType).value, column.kind);
  const [draft, setDraft] = useState(() => toText(item));
  const [error, setError] = useState<string>();
  const [conflict, setConflict] = useState<Item>();
  const conflictId = useId();
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // What the user has typed, and the state of the file and the value that it is compared with. A save that takes a
  // while reads them after it has ended.
  const typed = useRef(draft);
  const known = useRef({ item, text: draft });
  const isSaving = useRef(false);
  const isAskedAgain = useRef(false);
  // Removing the field from the page may blur it, which must not save the value again.
  const isDone = useRef(false);
  const close = () => {
    isDone.current = true;
    onClose(field.current !== null && field.current === document.activeElement);
  };
  /** Saves what is typed. Returns false if the value is invalid or was refused. */
  const saveTyped = async (): Promise<boolean> => {
    const text = typed.current;
    try {
      const { isSaved, newest } = await onSave(known.current.item, parseDraft(text, column.kind));
      if (newest) known.current = { item: newest, text: toText(newest) };
      setConflict(newest);
      if (isSaved) known.current.text = text;
      setError(undefined);
      return isSaved;
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      return false;
    }
  };
  const save = async () => {
    if (isDone.current) return;
    // A value that is entered while an earlier one is being saved is saved after it.
    isAskedAgain.current = isSaving.current;
    if (isSaving.current) return;
    isSaving.current = true;
    let isSaved = true;
    do {
      isAskedAgain.current = false;
      if (typed.current !== known.current.text) isSaved = await saveTyped();
    } while (isSaved && isAskedAgain.current && !isDone.current);
    isSaving.current = false;
    if (isSaved && !isDone.current && typed.current === known.current.text) close();
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
    'aria-invalid': error || conflict ? true : undefined,
    'aria-describedby': conflict && conflictId,
    title: error,
    className: styles.editor,
    value: draft,
    autoFocus: true,
    onKeyDown: press,
    onBlur: () => {
      // The field stays the active element if the whole window has lost the focus. Editing then goes on.
      if (field.current !== document.activeElement) void save();
    },
    onChange: ({ target }: { target: { value: string } }) => {
      typed.current = target.value;
      setDraft(target.value);
    },
  };
  return (
    <>
      <EditorField column={column} shared={shared} />
      {conflict && (
        <span id={conflictId} className={styles.conflict} dir="auto">
          {t(
            '{name} has changed this file meanwhile. Its value is now "{value}". Save again to keep yours.',
            {
              name: conflict.reviewed_by?.name ?? t('Another user'),
              value: toText(conflict) || t('Not found'),
            },
          )}
        </span>
      )}
    </>
  );
}

type SharedProps = ComponentProps<'input'> & ComponentProps<'select'>;

function EditorField({ column, shared }: { column: ValueColumn; shared: SharedProps }) {
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
