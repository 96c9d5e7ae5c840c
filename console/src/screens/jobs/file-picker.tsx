import { useRef, useState } from 'react';
import { send } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import styles from './jobs.module.css';
import { useJobInput } from './use-input.ts';

interface FilePickerProps {
  /** Id of the file that the user has selected. */
  value: string | undefined;
  onChoose: (id: string) => void;
  error?: string | undefined;
}

/** Selects the document of a job: an existing file of the project, or a new upload. */
export function FilePicker({ value, onChoose, error }: FilePickerProps) {
  const [asked, setAsked] = useState('');
  const [typed, type] = useDraft(asked, setAsked);
  const upload = useUpload(onChoose);
  const input = useRef<HTMLInputElement>(null);
  const chosen = useJobInput(value ?? '');
  const files = useApiQuery('GET /api/v1/beta/files', {
    query: {
      page_size: 50,
      order_by: 'created_at desc',
      ...(asked.trim() && { name_contains: asked.trim() }),
    },
  });
  const found = (files.data?.items ?? []).map(({ id, name }) => ({
    value: id.replace(/^dfl-/, ''),
    label: name,
  }));
  const isListed = value === undefined || found.some((each) => each.value === value);
  const choices = [
    {
      value: '',
      label: found.length > 0 ? t('Choose a file') : asked ? t('No file has this name') : t('No files yet'),
    },
    ...(isListed ? [] : [{ value: value!, label: chosen.name }]),
    ...found,
  ];
  return (
    <fieldset className={styles.picker}>
      <legend>{t('Document')}</legend>
      <div className={styles.choice}>
        <TextField
          label={t('Find a file')}
          hideLabel
          placeholder={t('Part of its name')}
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
        <Select
          label={t('File')}
          hideLabel
          error={error}
          choices={choices}
          value={value ?? ''}
          onChange={({ target }) => onChoose(target.value)}
        />
        <Button writes icon="upload" busy={upload.isBusy} onClick={() => input.current?.click()}>
          {t('Upload')}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('File to upload')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) void upload.begin(file);
        }}
      />
      {upload.error !== undefined && (
        <Failure error={upload.error} what={t('The file could not be uploaded')} />
      )}
    </fieldset>
  );
}

function useUpload(onUploaded: (id: string) => void) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const begin = async (file: File) => {
    const body = new FormData();
    body.append('upload_file', file);
    setBusy(true);
    setError(undefined);
    try {
      const made = (await send({ method: 'POST', path: '/api/v1/files', body })) as { id: string };
      announce(t('{name} is uploaded', { name: file.name }));
      onUploaded(made.id);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, begin };
}
