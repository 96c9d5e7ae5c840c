import { IndexPage } from './index-page.tsx';

/** What an index holds and what it is doing. */
export default function Overview() {
  return <IndexPage part="">{() => null}</IndexPage>;
}
