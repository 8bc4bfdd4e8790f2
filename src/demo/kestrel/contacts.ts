/** Suppliers and customers of Kestrel. */
import type { ContactType } from '../../contract/resources/contacts.ts';
import type { DemoContact } from '../scenario.ts';

type Details = Pick<DemoContact, 'phone' | 'isPrimaryContact' | 'isActive'>;

const ofType =
  (contactType: ContactType) =>
  (key: string, name: string, company: string, email: string, country: string, contactGroup: string, details?: Details): DemoContact => ({
    key,
    name,
    company,
    email,
    contactType,
    country,
    contactGroup,
    isPrimaryContact: true,
    ...details,
  });

const supplier = ofType('supplier');
const customer = ofType('customer');
const supplierAndCustomer = ofType('both');

export const kestrelContacts: readonly DemoContact[] = [
  supplier('origem', 'Inês Cardoso', 'Origem Verde Imports', 'ines@origemverde.example', 'PT', 'green coffee', {
    phone: '+351 21 555 0140',
  }),
  supplier('andes', 'Camilo Restrepo', 'Andes Direct Trade', 'camilo@andesdirect.example', 'CO', 'green coffee', {
    phone: '+57 601 555 0112',
  }),
  supplier('packwell', 'Greta Lindqvist', 'Packwell Europe', 'orders@packwell.example', 'SE', 'packaging', { phone: '+46 8 555 01 77' }),
  supplier('etiqueta', 'Rui Matos', 'Etiqueta Rápida', 'rui@etiqueta.example', 'PT', 'packaging'),
  supplier('burr', 'Parts Desk', 'Burr & Bean Parts', 'parts@burrbean.example', 'DE', 'spare parts', { phone: '+49 30 555 0188' }),
  supplier('ceramica', 'Filipa Nunes', 'Cerâmica do Monte', 'filipa@ceramicadomonte.example', 'PT', 'merchandise'),
  customer('alfama', 'Duarte Pinto', 'Café Alfama', 'duarte@cafealfama.example', 'PT', 'cafés', { phone: '+351 21 555 0161' }),
  customer('alfama2', 'Marta Pinto', 'Café Alfama', 'marta@cafealfama.example', 'PT', 'cafés', { isPrimaryContact: false }),
  customer('nordkaffe', 'Sofie Berg', 'Nordkaffe', 'sofie@nordkaffe.example', 'DK', 'wholesale', { phone: '+45 55 50 01 20' }),
  customer('hotelmar', 'Compras', 'Hotel Mar Azul', 'compras@marazul.example', 'PT', 'hotels'),
  customer('bicicleta', 'Tiago Reis', 'Bicicleta Café', 'tiago@bicicleta.example', 'PT', 'cafés'),
  customer('kontor', 'Jonas Weber', 'Kontor Neun', 'office@kontorneun.example', 'DE', 'offices'),
  {
    key: 'webshop',
    name: 'Webshop customers',
    email: 'shop@kestrelcoffee.example',
    contactType: 'customer',
    country: 'PT',
    contactGroup: 'retail',
  },
  customer('mercado', 'Helena Faria', 'Mercado da Ribeira Stall 14', 'helena@stall14.example', 'PT', 'retail'),
  customer('closed', 'Old Town Espresso', 'Old Town Espresso', 'hello@oldtown.example', 'ES', 'cafés', {
    isPrimaryContact: false,
    isActive: false,
  }),
  supplierAndCustomer('coop', 'Ana Beltrán', 'Cooperativa Sierra Azul', 'ana@sierraazul.example', 'CO', 'green coffee'),
  supplierAndCustomer('roastlab', 'Pieter de Vries', 'Roastlab Rotterdam', 'pieter@roastlab.example', 'NL', 'wholesale'),
];
