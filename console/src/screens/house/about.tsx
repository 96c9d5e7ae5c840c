import { useQuery } from '@tanstack/react-query';
import { requestOf, send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { bytes, count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Card, Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './house.module.css';

type Capabilities = Answer<'GET /api/v1/capabilities'>;

interface Health {
  status: string;
  checks: Record<string, { ok: boolean; ms?: number; error?: string }>;
}

const USES: Record<string, string> = {
  chat: 'Chat',
  extract: 'Extraction',
  classify: 'Classification',
  routing: 'Routing of questions',
  filters: 'Filters from questions',
  schema: 'Making of schemas',
  parsing: 'Reading of pages',
  reranking: 'Reranking',
};

/** What this installation is, can do, and whether it is well. */
export default function About() {
  const capabilities = useAnswer('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  // An installation that is not well says so with 503 and the same body.
  const health = useQuery<Health, ApiError>({
    queryKey: ['health'],
    queryFn: ({ signal }) => send({ method: 'GET', path: '/health' }, signal) as Promise<Health>,
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="About"
      calls={[
        { what: 'What it can do', ...requestOf('GET /api/v1/capabilities', {}) },
        { what: 'Whether it is well', method: 'GET', path: '/health' },
      ]}
    >
      <div className={layout.pair}>
        <Loaded read={capabilities} what="What this installation can do could not be read">
          {(known) => (
            <div className={layout.stack}>
              <Card title={`Sluice ${known.version}`}>
                <p>
                  Documents in; answers, extracted data and verdicts out. The API is described in{' '}
                  <a href="/docs">its reference</a>.
                </p>
              </Card>
              <Models models={known.models} />
              <Limits limits={known.limits} />
            </div>
          )}
        </Loaded>
        <div className={layout.stack}>
          <Card title="Health">
            <Loaded read={health} what="It is not well">
              {({ checks }) => (
                <Facts
                  facts={Object.entries(checks).map(([name, check]) => [
                    name,
                    <CheckBadge key={name} check={check} />,
                  ])}
                />
              )}
            </Loaded>
          </Card>
          {capabilities.data && <FileTypes types={capabilities.data.file_types} />}
        </div>
      </div>
    </Page>
  );
}

const CheckBadge = ({ check: { ok, ms, error } }: { check: Health['checks'][string] }) => (
  <Badge tone={ok ? 'good' : 'bad'} icon={ok ? 'check' : 'failed'}>
    {ok ? (ms === undefined ? 'Well' : `${Math.round(ms)} ms`) : (error ?? 'Missing')}
  </Badge>
);

type Model = { model: string | null; built_in: boolean; problem?: string | null } | null;

function shown(model: Model) {
  if (!model) return 'None';
  if (model.problem) return <Badge tone="warn" icon="warning">{`${model.problem}`}</Badge>;
  return (
    <>
      {model.model !== 'builtin' && model.model} {model.built_in && <Badge>Built in</Badge>}
    </>
  );
}

const Models = ({ models }: { models: Capabilities['models'] }) => (
  <Card title="Models in force">
    <Facts
      facts={[
        ['Embedding', shown(models.embedding)],
        ['Reranking of results', shown(models.rerank)],
        ['Text recognition', shown(models.ocr)],
        ...Object.entries(models.language).map(([use, model]): [string, ReturnType<typeof shown>] => [
          USES[use] ?? use,
          shown(model),
        ]),
      ]}
    />
  </Card>
);

const Limits = ({ limits }: { limits: Capabilities['limits'] }) => (
  <Card title="Limits">
    <Facts
      facts={[
        ['A file', bytes(limits.file_bytes)],
        ['A body of JSON', bytes(limits.json_body_bytes)],
        ['A query', `${count(limits.query_characters)} characters`],
        ['Results of a query', count(limits.results)],
        [
          'Requests',
          limits.requests_per_minute ? `${count(limits.requests_per_minute)} a minute` : 'No limit',
        ],
        ['Tokens of models', limits.daily_tokens ? `${count(limits.daily_tokens)} a day` : 'No limit'],
      ]}
    />
  </Card>
);

const FileTypes = ({ types }: { types: Capabilities['file_types'] }) => (
  <Card title="Files that it reads">
    <ul className={styles.types}>
      {types.map(({ type, title, extensions }) => (
        <li key={type}>
          <Badge>{extensions.length > 0 ? `${title} (${extensions.join(', ')})` : title}</Badge>
        </li>
      ))}
    </ul>
  </Card>
);
