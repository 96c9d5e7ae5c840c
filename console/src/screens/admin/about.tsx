import { useQuery } from '@tanstack/react-query';
import { buildRequest, send } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { rich, t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { bytes, count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Notice } from '../../ui/notice.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './admin.module.css';

type Capabilities = Answer<'GET /api/v1/capabilities'>;

interface Health {
  status: string;
  checks: Record<string, { ok: boolean; ms?: number; error?: string }>;
}

/** Reads the checks of the installation. An unhealthy installation answers with status 503 and the same body. */
async function readHealth(signal: AbortSignal): Promise<Health> {
  try {
    return (await send({ method: 'GET', path: '/health' }, signal)) as Health;
  } catch (error) {
    // A proxy in front of the service may also answer with status 503, but it knows no checks.
    const body =
      error instanceof ApiError && error.status === 503 ? (error.body as Partial<Health>) : undefined;
    if (typeof body?.checks !== 'object') throw error;
    return body as Health;
  }
}

const getUses = (): Record<string, string> => ({
  chat: t('Chat'),
  extract: t('Extraction'),
  classify: t('Classification'),
  routing: t('Query routing'),
  filters: t('Filter inference'),
  schema: t('Schema generation'),
  parsing: t('Page reading'),
  reranking: t('Reranking'),
});

/** Page that shows the version, capabilities, limits and health of the installation. */
export default function About() {
  const capabilities = useApiQuery('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  const health = useQuery<Health, ApiError>({
    queryKey: ['health'],
    queryFn: ({ signal }) => readHealth(signal),
    refetchInterval: 10_000,
  });
  return (
    <Page
      title={t('About')}
      calls={[
        { what: t('Get the capabilities'), ...buildRequest('GET /api/v1/capabilities', {}) },
        { what: t('Check the health'), method: 'GET', path: '/health' },
      ]}
    >
      <div className={layout.pair}>
        <Loaded read={capabilities} what={t('The capabilities could not be loaded')}>
          {(known) => (
            <div className={layout.stack}>
              <Card title={`Sluice ${known.version}`}>
                <p>
                  {rich(
                    'Read the <link>guide</link> for tutorials and how-to pages, and the <link2>API reference</link2> for every operation.',
                    {
                      link: (chunks) => <a href="/docs/guide/">{chunks}</a>,
                      link2: (chunks) => <a href="/docs">{chunks}</a>,
                    },
                  )}
                </p>
              </Card>
              <Models models={known.models} />
              <Limits limits={known.limits} />
            </div>
          )}
        </Loaded>
        <div className={layout.stack}>
          <Card title={t('Health')}>
            <Loaded read={health} what={t('The health could not be checked')}>
              {({ status, checks }) => (
                <>
                  {status !== 'ok' && (
                    <Notice tone="bad" icon="failed" title={t('The service is unhealthy')} />
                  )}
                  <Facts
                    facts={Object.entries(checks).map(([name, check]) => [
                      name,
                      <CheckBadge key={name} check={check} />,
                    ])}
                  />
                </>
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
    {ok ? (ms === undefined ? t('OK') : t('{ms} ms', { ms: Math.round(ms) })) : (error ?? t('Missing'))}
  </Badge>
);

type Model = { model: string | null; built_in: boolean; problem?: string | null } | null;

function describeModel(model: Model) {
  if (!model) return t('None');
  if (model.problem) return <Badge tone="warn" icon="warning">{`${model.problem}`}</Badge>;
  return (
    <>
      {model.model !== 'builtin' && model.model} {model.built_in && <Badge>{t('Built in')}</Badge>}
    </>
  );
}

const Models = ({ models }: { models: Capabilities['models'] }) => (
  <Card title={t('Active models')}>
    <Facts
      facts={[
        [t('Embedding'), describeModel(models.embedding)],
        [t('Reranking'), describeModel(models.rerank)],
        [t('Text recognition'), describeModel(models.ocr)],
        ...Object.entries(models.language).map(([use, model]): [string, ReturnType<typeof describeModel>] => [
          getUses()[use] ?? use,
          describeModel(model),
        ]),
      ]}
    />
  </Card>
);

const Limits = ({ limits }: { limits: Capabilities['limits'] }) => (
  <Card title={t('Limits')}>
    <Facts
      facts={[
        [t('File size'), bytes(limits.file_bytes)],
        [t('JSON request body'), bytes(limits.json_body_bytes)],
        [t('Query length'), t('{count} characters', { count: count(limits.query_characters) })],
        [t('Results per query'), count(limits.results)],
        [
          t('Requests'),
          limits.requests_per_minute
            ? t('{count} per minute', {
                count: count(limits.requests_per_minute),
              })
            : t('No limit'),
        ],
        [
          t('Model tokens'),
          limits.daily_tokens ? t('{count} per day', { count: count(limits.daily_tokens) }) : t('No limit'),
        ],
      ]}
    />
  </Card>
);

const FileTypes = ({ types }: { types: Capabilities['file_types'] }) => (
  <Card title={t('Supported file types')}>
    <ul className={styles.types}>
      {types.map(({ type, title, extensions }) => (
        <li key={type}>
          <Badge>{extensions.length > 0 ? `${title} (${extensions.join(', ')})` : title}</Badge>
        </li>
      ))}
    </ul>
  </Card>
);
