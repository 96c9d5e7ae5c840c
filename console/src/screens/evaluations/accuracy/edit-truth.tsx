import { useState } from 'react';
import { useApiMutation } from '../../../api/hooks.ts';
import type { Body } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../../ui/field.tsx';
import { Failure } from '../../../ui/states.tsx';
import { FilePicker } from '../../jobs/file-picker.tsx';
import { CHANGED_BY_TRUTHS, type Truth, type TruthSet } from './operations.ts';

const ADD = 'POST /api/v1/evaluations/truth-sets/{truth_set_id}/truths';
type Expected = Omit<Body<typeof ADD>['truths'][number], 'file_id'>;

/** Adds the truth of a file, or edits one. */
export function EditTruth({ set, truth, onClose }: { set: TruthSet; truth?: Truth; onClose: () => void }) {
  const [fileId, setFileId] = useState<string | undefined>(truth?.file_id);
  const [text, setText] = useState(truth && set.kind === 'extraction' ? toText(truth.values) : '');
  const [type, setType] = useState(truth?.type ?? '');
  const [fits, setFits] = useState(truth ? truth.type !== null : true);
  const [problem, setProblem] = useState<string>();
  const save = useApiMutation(ADD, CHANGED_BY_TRUTHS);
  const isExtraction = set.kind === 'extraction';
  const isReady = fileId && (isExtraction ? text.trim() !== '' : !fits || type.trim() !== '');
  const submit = () => {
    const expected = isExtraction ? parse(text) : { type: fits ? type.trim() : null };
    if (typeof expected === 'string') return setProblem(expected);
    setProblem(undefined);
    save.mutate(
      { params: { truth_set_id: set.id }, body: { truths: [{ file_id: fileId!, ...expected }] } },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog
      title={truth ? t('Edit {name}', { name: truth.file_name }) : t('Add file')}
      onClose={onClose}
      onSubmit={submit}
      wide
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!isReady} busy={save.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      {!truth && <FilePicker value={fileId} onChoose={setFileId} />}
      {isExtraction ? (
        <TextArea
          code
          rows={12}
          label={t('Expected values')}
          hint={t(
            'JSON. Write null for values that the document does not have. Omitted fields are not measured.',
          )}
          value={text}
          error={problem}
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        <>
          <TextField
            label={t('Expected type')}
            value={type}
            maxLength={1000}
            disabled={!fits}
            autoComplete="off"
            onChange={({ target }) => setType(target.value)}
          />
          <Checkbox
            label={t('No rule fits this file')}
            checked={!fits}
            onChange={({ target }) => setFits(!target.checked)}
          />
        </>
      )}
      {save.error && <Failure error={save.error} what={t('The truth could not be saved')} />}
    </Dialog>
  );
}

const toText = (values: unknown): string => JSON.stringify(values, null, 2);

/** Returns the expected values, or a message if the text is no JSON object or list. */
function parse(text: string): Expected | string {
  try {
    const values: unknown = JSON.parse(text);
    if (typeof values === 'object' && values !== null) return { values: values as Expected['values'] };
    return t('Enter a JSON object or list.');
  } catch (failure) {
    return t('This is not valid JSON: {message}', { message: (failure as Error).message });
  }
}
