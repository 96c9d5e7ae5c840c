import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';

const READ = 'GET /api/v1/traces/settings';
type Settings = Answer<typeof READ>;

/** Dialog with the settings for traces of a project. */
export function TraceSettingsDialog({ onClose }: { onClose: () => void }) {
  const read = useApiQuery(READ, {});
  if (read.data) return <Form settings={read.data} onClose={onClose} />;
  return (
    <Dialog title={t('Trace settings')} onClose={onClose}>
      <Loaded read={read} what={t('The settings could not be read')}>
        {() => null}
      </Loaded>
    </Dialog>
  );
}

function Form({ settings, onClose }: { settings: Settings; onClose: () => void }) {
  const put = useApiMutation('PUT /api/v1/traces/settings', [READ]);
  const [share, setShare] = useState(String(Math.round(settings.sample_rate * 10_000) / 100));
  const [days, setDays] = useState(String(settings.retention_days));
  const [hasText, setHasText] = useState(settings.record_text);
  const [filter, setFilter] = useState<Settings['redact_where'] | undefined>(settings.redact_where);
  const submit = () =>
    put.mutate(
      {
        body: {
          sample_rate: Number(share) / 100,
          retention_days: Number(days),
          record_text: hasText,
          redact_where: filter ?? null,
        },
      },
      { onSuccess: onClose },
    );
  return (
    <Dialog
      title={t('Trace settings')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes busy={put.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <TextField
        type="number"
        min={0}
        max={100}
        step="any"
        label={t('Recorded share in percent')}
        hint={t('0 records nothing.')}
        value={share}
        onChange={(event) => setShare(event.target.value)}
        error={put.error?.findFieldMessage('sample_rate')}
      />
      <TextField
        type="number"
        min={1}
        max={400}
        label={t('Delete after days')}
        value={days}
        onChange={(event) => setDays(event.target.value)}
        error={put.error?.findFieldMessage('retention_days')}
      />
      <Checkbox
        label={t('Record questions, prompts and answers')}
        hint={t('Otherwise only ids, scores, counts and durations are recorded.')}
        checked={hasText}
        onChange={(event) => setHasText(event.target.checked)}
      />
      {hasText && (
        <JsonField
          label={t('Keep no text if a passage matches this filter')}
          hint={t('A metadata filter as JSON. The prompt and the answer are then recorded without text.')}
          value={filter ?? undefined}
          placeholder={{ filters: [{ key: 'confidential', value: true, operator: '==' }] }}
          error={put.error?.findFieldMessage('redact_where')}
          onSet={setFilter}
        />
      )}
      {put.error && <Failure error={put.error} what={t('The settings could not be saved')} />}
    </Dialog>
  );
}
