import { useState } from 'react';
import { requestOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { DeleteIndex } from './delete-index.tsx';
import styles from './index.module.css';
import { IndexPage } from './index-page.tsx';
import { RetrievalForm } from './retrieval-form.tsx';
import { ChunksForm, EmbeddingForm, NameForm } from './settings-forms.tsx';

const callsOf = (id: string) => {
  const params = { pipeline_id: id };
  return [
    { what: 'Read the settings', ...requestOf('GET /api/v1/pipelines/{pipeline_id}', { params }) },
    {
      what: 'Change some of them',
      ...requestOf('PUT /api/v1/pipelines/{pipeline_id}', { params, body: { name: 'Manuals' } }),
    },
  ];
};

/** What an index is called and made of. */
export default function Settings() {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <IndexPage part="/settings" calls={callsOf}>
      {(index) => (
        <>
          <NameForm key={`name ${index.name}`} index={index} />
          <ChunksForm index={index} />
          <EmbeddingForm index={index} />
          <RetrievalForm index={index} />
          <Card title="Delete">
            <div className={styles.form}>
              <p>What was indexed and every conversation with it is lost. Its files stay in the project.</p>
              <div>
                <Button look="danger" icon="trash" onClick={() => setDeleting(true)}>
                  Delete this index
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
