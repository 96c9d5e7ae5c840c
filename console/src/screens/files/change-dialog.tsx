import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ToggleChips } from '../../ui/chips.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import { changeFiles } from './change-files.ts';
import { useFolders } from './use-labels.ts';

interface ChangeProps {
  count: number;
  /** Returns the ids of the files. They are loaded when the user confirms. */
  getFileIds: () => Promise<string[]>;
  onClose: () => void;
  /** Called after the files were changed. */
  onDone: () => void;
}

/** Moves files to a folder, which need not exist before. */
export function MoveFiles({ folder, ...props }: ChangeProps & { folder: string }) {
  const listId = useId();
  const [path, setPath] = useState(folder);
  const { items } = useFolders('');
  const { count } = props;
  return (
    <ChangeDialog
      {...props}
      title={t('Move {count, plural, one {# file} other {# files}}', { count })}
      action={t('Move')}
      failure={t('The files could not be moved')}
      done={t('{count, plural, one {# file} other {# files}} moved.', { count })}
      change={{ folder: path }}
    >
      <TextField
        label={t('Folder')}
        hint={t('Nested folders are separated by a slash, such as reports/2026. Empty: no folder.')}
        value={path}
        list={listId}
        maxLength={1000}
        onChange={({ target }) => setPath(target.value)}
      />
      <datalist id={listId}>
        {items.map((each) => (
          <option key={each.path} value={each.path} />
        ))}
      </datalist>
    </ChangeDialog>
  );
}

/** Adds tags to files, and removes tags that they have. */
export function TagFiles({ known, ...props }: ChangeProps & { known: readonly string[] }) {
  const [text, setText] = useState('');
  const [removed, setRemoved] = useState<string[]>([]);
  const added = text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const { count } = props;
  return (
    <ChangeDialog
      {...props}
      title={t('Tags of {count, plural, one {# file} other {# files}}', { count })}
      action={t('Save')}
      failure={t('The tags could not be changed')}
      done={t('Tags of {count, plural, one {# file} other {# files}} changed.', { count })}
      change={{ add_tags: added, remove_tags: removed }}
      disabled={added.length + removed.length === 0}
    >
      <TextField
        label={t('Add tags')}
        hint={t('Separate tags with commas.')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {known.length > 0 && (
        <>
          <p>{t('Choose tags to remove:')}</p>
          <ToggleChips
            label={t('Tags to remove')}
            chips={known.map((tag) => ({ value: tag, label: tag }))}
            chosen={removed}
            onToggle={(tag) =>
              setRemoved((before) =>
                before.includes(tag) ? before.filter((each) => each !== tag) : [...before, tag],
              )
            }
          />
        </>
      )}
    </ChangeDialog>
  );
}

function ChangeDialog({
  title,
  action,
  failure,
  done,
  change,
  disabled = false,
  getFileIds,
  onClose,
  onDone,
  children,
}: ChangeProps & {
  title: string;
  action: string;
  failure: string;
  done: string;
  change: Parameters<typeof changeFiles>[2];
  disabled?: boolean;
  children: ReactNode;
}) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async () => changeFiles(client, await getFileIds(), change),
    onSuccess: () => {
      notify(done);
      onDone();
      onClose();
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={save.isPending} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {save.error && <Failure error={save.error} what={failure} />}
    </Dialog>
  );
}
