import { useRef, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { bytes } from '../../ui/format.ts';
import {
  chooseFromDisk,
  type Picked,
  type PickedFile,
  pickFiles,
  readDropped,
} from '../../uploads/picked.ts';
import { SkippedFiles } from '../../uploads/skipped-files.tsx';
import { useEmbeddingChoices, useKindTitles, useSinkChoices } from '../index/connections.ts';
import { TransformFields } from '../index/transform-fields.tsx';
import type { IndexDraft } from './create-index.ts';
import styles from './indexes.module.css';

interface StepProps {
  draft: IndexDraft;
  change: (changes: Partial<IndexDraft>) => void;
}

type ErrorProps = { error: ApiError | undefined };

export function NameStep({ draft, change, error }: StepProps & ErrorProps) {
  return (
    <TextField
      label={t('Name')}
      name="index-name"
      value={draft.name}
      onChange={({ target }) => change({ name: target.value })}
      hint={t(
        'For example Manuals or Contracts 2026. All other settings have defaults and can be changed later.',
      )}
      error={error?.findFieldMessage('name') ?? (error?.status === 409 ? error.message : undefined)}
      autoComplete="off"
      required
      autoFocus
    />
  );
}

export function ContentsStep({ draft, change }: StepProps) {
  return (
    <>
      <FileDrop files={draft.files} onChange={(files) => change({ files })} />
      <SourceChoice chosen={draft.sourceIds} onChange={(sourceIds) => change({ sourceIds })} />
    </>
  );
}

function FileDrop({ files, onChange }: { files: PickedFile[]; onChange: (files: PickedFile[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(files);
  latest.current = files;
  const [isOver, setOver] = useState(false);
  const [skippedFiles, setSkippedFiles] = useState<Omit<Picked, 'files'>>({ skipped: [], unreadable: [] });
  const add = ({ files: more, skipped, unreadable }: Picked) => {
    // Other files may have been chosen while a folder was being read, so the files are added to the latest
    // list.
    onChange([...latest.current, ...more]);
    setSkippedFiles((before) => ({
      skipped: [...before.skipped, ...skipped],
      unreadable: [...before.unreadable, ...unreadable],
    }));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same by keyboard */}
      <div
        className={classes(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          // Keeps the page behind the dialog from adding the dropped files as well.
          event.stopPropagation();
          setOver(false);
          void readDropped(event.dataTransfer).then(add);
        }}
      >
        <p>{t('Drop files or folders here, or')}</p>
        <Button icon="upload" onClick={() => input.current?.click()}>
          {t('Choose files')}
        </Button>
        <Button icon="upload" onClick={() => void chooseFromDisk('folder').then(add)}>
          {t('Choose folder')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t('Files')}
          onChange={({ target }) => {
            add(pickFiles(target.files ?? []));
            target.value = '';
          }}
        />
      </div>
      <SkippedFiles {...skippedFiles} />
      {files.length > 0 && (
        <ul className={styles.files} aria-label={t('Chosen files')}>
          {files.map(({ file, path = file.name }, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
            <li key={position}>
              <span className={styles.file}>
                {path} <span className={styles.size}>{bytes(file.size)}</span>
              </span>
              <IconButton
                icon="close"
                small
                label={t('Remove {path}', { path })}
                onClick={() => onChange(files.toSpliced(position, 1))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function SourceChoice({ chosen, onChange }: { chosen: string[]; onChange: (sourceIds: string[]) => void }) {
  const kind = useKindTitles();
  const { data: sources = [] } = useApiQuery('GET /api/v1/data-sources', {});
  if (sources.length === 0) return null;
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset className={styles.sources}>
      <legend>{t('Data sources')}</legend>
      {sources.map(({ id, name, source_type }) => (
        <Checkbox
          key={id}
          label={name}
          hint={kind(source_type)}
          checked={chosen.includes(id)}
          onChange={({ target }) => toggle(id, target.checked)}
        />
      ))}
    </fieldset>
  );
}

export function OptionsStep({ draft, change, error }: StepProps & ErrorProps) {
  return (
    <>
      <TransformFields
        draft={draft.transform}
        onChange={(transform) => change({ transform })}
        error={error}
      />
      <Select
        label={t('Embedding model')}
        hint={t('Turns chunks into vectors. You can add models under Connections.')}
        choices={useEmbeddingChoices()}
        value={draft.embeddingId}
        onChange={({ target }) => change({ embeddingId: target.value })}
      />
      <Select
        label={t('Vector store')}
        hint={t('Where vectors are stored. You can add vector stores under Connections.')}
        choices={useSinkChoices()}
        value={draft.sinkId}
        onChange={({ target }) => change({ sinkId: target.value })}
      />
    </>
  );
}
