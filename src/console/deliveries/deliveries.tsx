/** Webhooks: the log of deliveries, and the endpoints with their health. */
import { LinkTabs } from '../ui/tabs.tsx';
import { useUrl } from '../ui/url.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { Endpoints } from './endpoints.tsx';

const TABS = { '/deliveries': 'Log', '/deliveries/endpoints': 'Endpoints' };

export default function Deliveries() {
  const [first, second] = useUrl().ids;
  const isEndpoints = first === 'endpoints';
  const tabs = <LinkTabs label="Deliveries" paths={TABS} current={isEndpoints ? '/deliveries/endpoints' : '/deliveries'} />;
  return isEndpoints ? <Endpoints id={second} tabs={tabs} /> : <DeliveryLog id={first} tabs={tabs} />;
}
