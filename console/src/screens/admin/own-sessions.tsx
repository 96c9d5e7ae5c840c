import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago, moment } from '../../ui/format.ts';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const LIST = 'GET /api/v1/sessions';
type OwnSession = Answer<typeof LIST>[number];

/** Table of the browsers in which the user is signed in. */
export function OwnSessions() {
  const read = useApiQuery(LIST, {});
  const end = useApiMutation('DELETE /api/v1/sessions/{session_id}', [LIST]);
  const endOthers = useApiMutation('DELETE /api/v1/sessions', [LIST]);
  const [ended, setEnded] = useState<OwnSession | 'others'>();
  const columns: Column<OwnSession>[] = [
    {
      key: 'browser',
      header: t('Browser'),
      cell: ({ browser, is_current }) => (
        <>
          {browser ?? t('Unknown browser')} {is_current && <Badge tone="info">{t('This session')}</Badge>}
        </>
      ),
    },
    { key: 'made', header: t('Signed in'), cell: ({ created_at }) => moment(created_at) },
    { key: 'used', header: t('Last used'), cell: ({ last_used_at }) => ago(last_used_at) },
    { key: 'ends', header: t('Expires'), cell: ({ expires_at }) => moment(expires_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (session) =>
        session.is_current ? null : (
          <Button
            small
            onClick={() => setEnded(session)}
            aria-label={t('Sign out {browser}', { browser: session.browser ?? t('Unknown browser') })}
          >
            {t('Sign out')}
          </Button>
        ),
    },
  ];
  return (
    <section>
      <h2>{t('Your sessions')}</h2>
      <p>{t('Browsers in which you are signed in. Sign out those that you do not recognize.')}</p>
      <Loaded read={read} what={t('The sessions could not be read')}>
        {(sessions) => (
          <>
            <Table label={t('Your sessions')} columns={columns} rows={sessions} getRowKey={({ id }) => id} />
            {sessions.some(({ is_current }) => !is_current) && (
              <p>
                <Button icon="leave" onClick={() => setEnded('others')}>
                  {t('Sign out all others')}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
      {ended && (
        <Confirm
          title={ended === 'others' ? t('Sign out all other sessions?') : t('Sign out this session?')}
          action={t('Sign out')}
          onClose={() => setEnded(undefined)}
          onConfirm={() =>
            ended === 'others'
              ? endOthers.mutateAsync({})
              : end.mutateAsync({ params: { session_id: ended.id } })
          }
        >
          {t('The browser has to sign in again. API keys stay valid.')}
        </Confirm>
      )}
    </section>
  );
}
