import { useRef, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { bytes } from '../../ui/format.ts';
import { useEmbeddingChoices, useKindTitles, useSinkChoices } from '../index/connections.ts';
import { TransformFields } from '../index/transform-fields.tsx';
import styles from './indexes.module.css';
import type { IndexDraft } from './make-index.ts';

interface StepProps {
  draft: IndexDraft;
  change: (changes: Partial<IndexDraft>) => void;
}

type Refused = { error: ApiError | undefined };

export function NameStep({ draft, change, error }: StepProps & Refused) {
  return (
    <TextField
      label="Name"
      name="index-name"
      value={draft.name}
      onChange={({ target }) => change({ name: target.value })}
      hint="What it is about: Manuals, Contracts of 2026. Everything else has a default and can be changed later."
      error={error?.of('name') ?? (error?.status === 409 ? error.message : undefined)}
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

function FileDrop({ files, onChange }: { files: File[]; onChange: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const add = (more: FileList | null) => onChange([...files, ...(more ?? [])]);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; the button does it by keys */}
      <div
        className={classes(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          add(event.dataTransfer.files);
        }}
      >
        <p>Drop files here, or</p>
        <Button icon="upload" onClick={() => input.current?.click()}>
          Choose files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ target }) => {
            add(target.files);
            target.value = '';
          }}
        />
      </div>
      {files.length > 0 && (
        <ul className={styles.files} aria-label="Chosen files">
          {files.map((file, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
            <li key={position}>
              <span className={styles.file}>
                {file.name} <span className={styles.size}>{bytes(file.size)}</span>
              </span>
              <IconButton
                icon="close"
                small
                label={`Leave out ${file.name}`}
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
  const { data: sources = [] } = useAnswer('GET /api/v1/data-sources', {});
  if (sources.length === 0) return null;
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset className={styles.sources}>
      <legend>Sources that it reads</legend>
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

export function OptionsStep({ draft, change, error }: StepProps & Refused) {
  return (
    <>
      <TransformFields
        draft={draft.transform}
        onChange={(transform) => change({ transform })}
        error={error}
      />
      <Select
        label="Embedding model"
        hint="Turns chunks into vectors. Others are set up under Connections."
        choices={useEmbeddingChoices()}
        value={draft.embeddingId}
        onChange={({ target }) => change({ embeddingId: target.value })}
      />
      <Select
        label="Kept in"
        hint="Where the index lies: here, or in a vector store of yours."
        choices={useSinkChoices()}
        value={draft.sinkId}
        onChange={({ target }) => change({ sinkId: target.value })}
      />
    </>
  );
}
