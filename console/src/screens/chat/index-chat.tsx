import { useParams } from 'wouter';
import { loadable } from '../../shell/loadable.tsx';
import { IndexPage } from '../index/index-page.tsx';
import { buildChatCalls } from './calls.ts';
import type { Corpus } from './corpus.ts';

const Chat = loadable(() => import('./chat.tsx'));

export default function IndexChat() {
  const { id = '' } = useParams();
  const corpus: Corpus = { kind: 'index', id };
  return (
    <IndexPage part="/chat" calls={buildChatCalls(corpus)} full>
      {(index) => <Chat key={id} corpus={corpus} name={index.name} />}
    </IndexPage>
  );
}
