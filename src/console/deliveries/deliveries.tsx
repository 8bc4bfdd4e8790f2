/** Webhooks: the log of deliveries, and the endpoints with their health. */
import { LinkTabs, useUrl } from '../ui/index.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { Endpoints } from './endpoints.tsx';

const TABS = { '/deliveries': 'Log', '/deliveries/endpoints': 'Endpoints' };

export default function Deliveries() {
  const isEndpoints = useUrl().ids[0] === 'endpoints';
  const tabs = <LinkTabs label="Deliveries" paths={TABS} current={isEndpoints ? '/deliveries/endpoints' : '/deliveries'} />;
  return isEndpoints ? <Endpoints tabs={tabs} /> : <DeliveryLog tabs={tabs} />;
}
