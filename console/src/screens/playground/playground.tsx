import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { IndexPage } from '../index/index-page.tsx';
import { PresetSelect } from '../presets/preset-select.tsx';
import { areSameParameters, usePresets } from '../presets/presets.ts';
import { Column } from './column.tsx';
import { collectWords } from './marked-text.tsx';
import { Panel } from './panel.tsx';
import styles from './playground.module.css';
import { PresetActions } from './preset-actions.tsx';
import { QueryForm } from './query-form.tsx';
import { countMissing, rankById } from './ranks.ts';
import {
  applyPreset,
  clearSettings,
  getPresetId,
  type Column as Key,
  type Preset,
  parseSettings,
  setSetting,
} from './settings.ts';
import { useRetrieval } from './use-retrieval.ts';

/** Searches an index with chosen parameters, and compares the results of different parameters. */
export default function Playground() {
  const [search] = useSearchParams();
  const calls = (id: string) => [
    {
      what: t('Search the index'),
      ...buildRequest('POST /api/v1/pipelines/{pipeline_id}/retrieve', {
        params: { pipeline_id: id },
        body: { query: search.get('q') || 'What are the harbour dues?', ...parseSettings(search, '') },
      }),
    },
  ];
  return (
    <IndexPage part="/playground" full calls={calls}>
      {(index) => <PlaygroundPanels index={index} />}
    </IndexPage>
  );
}

const COLUMNS = [
  { key: '', label: 'A' },
  { key: 'b.', label: 'B' },
] as const;

function PlaygroundPanels({ index }: { index: Pipeline }) {
  const [search, setSearch] = useSearchParams();
  const [chosen, setChosen] = useState<Key>('');
  const query = search.get('q') ?? '';
  const isCompared = search.get('compare') === 'true';
  const settings = { '': parseSettings(search, ''), 'b.': parseSettings(search, 'b.') };
  const left = useRetrieval(index.id, query, settings['']);
  const right = useRetrieval(index.id, query, settings['b.'], isCompared);
  const words = useMemo(() => collectWords(query), [query]);
  const preset = (index.preset_retrieval_parameters ?? {}) as Preset;
  const column: Key = isCompared ? chosen : '';
  const read = column === '' ? left : right;
  const alpha = Number(read.data?.metadata?.alpha ?? Number.NaN);
  const presets = usePresets(index.id).data ?? [];
  const chosenPreset = presets.find(({ id }) => id === getPresetId(search, column));

  const change = (act: (search: URLSearchParams) => void) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        act(next);
        return next;
      },
      { replace: true },
    );
  const ask = (next: string) =>
    setSearch((before) => {
      const asked = new URLSearchParams(before);
      asked.set('q', next);
      return asked;
    });
  const compare = () =>
    change((next) => {
      if (isCompared) {
        next.delete('compare');
        clearSettings(next, 'b.');
      } else next.set('compare', 'true');
      setChosen(isCompared ? '' : 'b.');
    });

  const panel = (
    <>
      {presets.length > 0 && (
        <PresetSelect
          presets={presets}
          chosen={chosenPreset?.id}
          isChanged={!areSameParameters(settings[column], chosenPreset?.parameters ?? {})}
          onChoose={(next) => change((params) => applyPreset(params, column, next))}
        />
      )}
      <Panel
        key={column}
        indexIds={[index.id]}
        settings={settings[column]}
        preset={preset}
        error={read.error}
        effectiveAlpha={Number.isFinite(alpha) ? alpha : undefined}
        onSet={(name, value) => change((next) => setSetting(next, column, name, value))}
      />
      <PresetActions
        index={index}
        settings={settings[column]}
        presets={presets}
        chosen={chosenPreset}
        onReset={() => change((next) => clearSettings(next, column))}
        onSaved={(saved) => change((next) => applyPreset(next, column, saved))}
      />
    </>
  );
  const isFiltered = (key: Key) => (settings[key].search_filters ?? preset.search_filters) != null;
  const shared = { indexId: index.id, query, words };
  const answers = [left.data?.retrieval_nodes ?? [], right.data?.retrieval_nodes ?? []] as const;
  return (
    <div className={styles.bench}>
      <div className={styles.main}>
        <QueryForm query={query} isBusy={left.isFetching || right.isFetching} onAsk={ask}>
          <Button icon="compare" aria-pressed={isCompared} onClick={compare}>
            {isCompared ? t('Stop comparing') : t('Compare')}
          </Button>
        </QueryForm>
        <a className={styles.jump} href="#parameters">
          {t('Parameters')}
        </a>
        {query === '' && (
          <Empty icon="search" title={t('Enter a query')}>
            {t(
              'See which passages the index finds and how they are ranked, and compare different parameters.',
            )}
          </Empty>
        )}
        {query !== '' && isCompared && left.data && right.data && (
          <p className={styles.sum} role="status">
            {describeDifference(
              countMissing(answers[0], rankById(answers[1])),
              countMissing(answers[1], rankById(answers[0])),
            )}
          </p>
        )}
        {query !== '' && (
          <div className={isCompared ? `${styles.columns} ${styles.two}` : styles.columns}>
            <Column
              {...shared}
              {...(isCompared && { name: 'A' })}
              settings={settings['']}
              isFiltered={isFiltered('')}
              read={left}
            />
            {isCompared && (
              <Column
                {...shared}
                name="B"
                settings={settings['b.']}
                isFiltered={isFiltered('b.')}
                read={right}
                ranksBefore={left.data && rankById(answers[0])}
              />
            )}
          </div>
        )}
      </div>
      <aside className={styles.side} aria-label={t('Parameters')}>
        <h2 id="parameters">{t('Parameters')}</h2>
        {isCompared ? (
          <Tabs label={t('Column')} tabs={COLUMNS} chosen={column} onChoose={setChosen}>
            {panel}
          </Tabs>
        ) : (
          panel
        )}
      </aside>
    </div>
  );
}

function describeDifference(onlyLeft: number, onlyRight: number): string {
  if (onlyLeft + onlyRight === 0) return t('A and B find the same passages.');
  return t('{left} only in A, {right} only in B.', { left: onlyLeft, right: onlyRight });
}
