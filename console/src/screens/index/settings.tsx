import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { DeleteIndex } from './delete-index.tsx';
import styles from './index.module.css';
import { IndexPage } from './index-page.tsx';
import { RetrievalForm } from './retrieval-form.tsx';
import { ChunksForm, EmbeddingForm, NameForm } from './settings-forms.tsx';

const buildCalls = (id: string) => {
  const params = { pipeline_id: id };
  return [
    { what: t('Get the settings'), ...buildRequest('GET /api/v1/pipelines/{pipeline_id}', { params }) },
    {
      what: t('Change settings'),
      ...buildRequest('PUT /api/v1/pipelines/{pipeline_id}', { params, body: { name: 'Manuals' } }),
    },
  ];
};

export default function Settings() {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <IndexPage part="/settings" calls={buildCalls}>
      {(index) => (
        <>
          <NameForm index={index} />
          <ChunksForm index={index} />
          <EmbeddingForm index={index} />
          <RetrievalForm index={index} />
          <Card title={t('Delete')}>
            <div className={styles.form}>
              <p>
                {t('Its content and all conversations with it are deleted. Its files stay in the project.')}
              </p>
              <div>
                <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
                  {t('Delete this index')}
                </Button>
              </div>
            </div>
          </Card>
          {isDeleting && <DeleteIndex index={index} onClose={() => setDeleting(false)} />}
        </>
      )}
    </IndexPage>
  );
}
