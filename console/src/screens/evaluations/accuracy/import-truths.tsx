import { useState } from 'react';
import { useApiMutation } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { notify } from '../../../ui/notify.tsx';
import { Failure } from '../../../ui/states.tsx';
import { CHANGED_BY_TRUTHS, type TruthSet } from './operations.ts';

/** Imports truths from a file of the user's computer. */
export function ImportTruths({ set, onClose }: { set: TruthSet; onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const add = useApiMutation('POST /api/v1/evaluations/truth-sets/{truth_set_id}/import', CHANGED_BY_TRUTHS);
  const submit = async () => {
    if (!file) return;
    const content = await file.text();
    add.mutate(
      { params: { truth_set_id: set.id }, body: { content } },
      {
        onSuccess: ({ added_count: added, replaced_count: replaced }) => {
          notify(describeSaved(added, replaced));
          onClose();
        },
      },
    );
  };
  const member = set.kind === 'extraction' ? 'values' : 'type';
  return (
    <Dialog
      title={t('Import truths')}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!file} busy={add.isPending}>
            {t('Import')}
          </Button>
        </>
      }
    >
      <Field
        label={t('File')}
        hint={t('JSON Lines with file_name, file_id or external_file_id, and {member}.', { member })}
      >
        {(control) => (
          <input {...control} type="file" onChange={({ target }) => setFile(target.files?.[0])} />
        )}
      </Field>
      {add.error && <Failure error={add.error} what={t('The truths could not be imported')} />}
    </Dialog>
  );
}

/** Says how many truths were saved. */
export const describeSaved = (added: number, replaced: number): string =>
  t('{added, plural, one {# file} other {# files}} added, {replaced} replaced.', { added, replaced });
