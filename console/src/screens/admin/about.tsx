import { useQuery } from '@tanstack/react-query';
import { buildRequest, send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { bytes, count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Card, Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './admin.module.css';

type Capabilities = Answer<'GET /api/v1/capabilities'>;

interface Health {
  status: string;
  checks: Record<string, { ok: boolean; ms?: number; error?: string }>;
}

const USES: Record<string, string> = {
  chat: 'Chat',
  extract: 'Extraction',
  classify: 'Classification',
  routing: 'Query routing',
  filters: 'Filter inference',
  schema: 'Schema generation',
  parsing: 'Page reading',
  reranking: 'Reranking',
};

/** Page that shows the version, capabilities, limits and health of the installation. */
export default function About() {
  const capabilities = useApiQuery('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  // An unhealthy installation answers `/health` with status 503 and the same body as a healthy one.
  const health = useQuery<Health, ApiError>({
    queryKey: ['health'],
    queryFn: ({ signal }) => send({ method: 'GET', path: '/health' }, signal) as Promise<Health>,
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="About"
      calls={[
        { what: 'Get the capabilities', ...buildRequest('GET /api/v1/capabilities', {}) },
        { what: 'Check the health', method: 'GET', path: '/health' },
      ]}
    >
      <div className={layout.pair}>
        <Loaded read={capabilities} what="The capabilities could not be loaded">
          {(known) => (
            <div className={layout.stack}>
              <Card title={`Sluice ${known.version}`}>
                <p>
                  Read the <a href="/docs/guide/">guide</a> for tutorials and how-to pages, and the{' '}
                  <a href="/docs">API reference</a> for every operation.
                </p>
              </Card>
              <Models models={known.models} />
              <Limits limits={known.limits} />
            </div>
          )}
        </Loaded>
        <div className={layout.stack}>
          <Card title="Health">
            <Loaded read={health} what="The service is unhealthy">
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
    {ok ? (ms === undefined ? 'OK' : `${Math.round(ms)} ms`) : (error ?? 'Missing')}
  </Badge>
);

type Model = { model: string | null; built_in: boolean; problem?: string | null } | null;

function describeModel(model: Model) {
  if (!model) return 'None';
  if (model.problem) return <Badge tone="warn" icon="warning">{`${model.problem}`}</Badge>;
  return (
    <>
      {model.model !== 'builtin' && model.model} {model.built_in && <Badge>Built in</Badge>}
    </>
  );
}

const Models = ({ models }: { models: Capabilities['models'] }) => (
  <Card title="Active models">
    <Facts
      facts={[
        ['Embedding', describeModel(models.embedding)],
        ['Reranking', describeModel(models.rerank)],
        ['Text recognition', describeModel(models.ocr)],
        ...Object.entries(models.language).map(([use, model]): [string, ReturnType<typeof describeModel>] => [
          USES[use] ?? use,
          describeModel(model),
        ]),
      ]}
    />
  </Card>
);

const Limits = ({ limits }: { limits: Capabilities['limits'] }) => (
  <Card title="Limits">
    <Facts
      facts={[
        ['File size', bytes(limits.file_bytes)],
        ['JSON request body', bytes(limits.json_body_bytes)],
        ['Query length', `${count(limits.query_characters)} characters`],
        ['Results per query', count(limits.results)],
        [
          'Requests',
          limits.requests_per_minute ? `${count(limits.requests_per_minute)} per minute` : 'No limit',
        ],
        ['Model tokens', limits.daily_tokens ? `${count(limits.daily_tokens)} per day` : 'No limit'],
      ]}
    />
  </Card>
);

const FileTypes = ({ types }: { types: Capabilities['file_types'] }) => (
  <Card title="Supported file types">
    <ul className={styles.types}>
      {types.map(({ type, title, extensions }) => (
        <li key={type}>
          <Badge>{extensions.length > 0 ? `${title} (${extensions.join(', ')})` : title}</Badge>
        </li>
      ))}
    </ul>
  </Card>
);
