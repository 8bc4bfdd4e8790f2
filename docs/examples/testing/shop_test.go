// Go against a real service: `stockroom exec -- go test shop_test.go` in this folder.
package shop

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

func send(t *testing.T, method, url string, headers map[string]string, body object) (int, object) {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, _ := json.Marshal(body)
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, url, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reply := object{}
	json.NewDecoder(response.Body).Decode(&reply)
	return response.StatusCode, reply
}

func api(t *testing.T, method, path string, body object) (int, object) {
	t.Helper()
	key := fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano())
	headers := map[string]string{"X-API-Key": os.Getenv("STOCKROOM_API_KEY"), "Idempotency-Key": strings.ReplaceAll(key, "/", "-")}
	return send(t, method, os.Getenv("STOCKROOM_URL")+path, headers, body)
}

func control(t *testing.T, method, path string, body object) {
	t.Helper()
	headers := map[string]string{"Authorization": "Bearer " + os.Getenv("STOCKROOM_CONTROL_TOKEN")}
	status, reply := send(t, method, os.Getenv("STOCKROOM_CONTROL_URL")+"/control"+path, headers, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, status, reply)
	}
}

func first(t *testing.T, path string) object {
	t.Helper()
	_, reply := api(t, "GET", path, nil)
	return reply["data"].([]any)[0].(object)
}

func sell(t *testing.T, quantity int) int {
	t.Helper()
	item, contact := first(t, "/v1/items?sku=BOLT"), first(t, "/v1/contacts")
	lines := []object{{"itemId": item["id"], "quantity": quantity}}
	status, _ := api(t, "POST", "/v1/orders", object{"module": "sell", "status": "open", "contactId": contact["id"], "lines": lines})
	return status
}

func expectAvailable(t *testing.T, expected float64) {
	t.Helper()
	if got := first(t, "/v1/stock-levels")["available"]; got != expected {
		t.Fatalf("available is %v, not %v", got, expected)
	}
}

func reset(t *testing.T) { control(t, "POST", "/tenants/shop/reset", object{}) }

func TestAnOpenOrderCommitsStock(t *testing.T) {
	for _, quantity := range []int{30, 40} {
		t.Run(fmt.Sprint(quantity), func(t *testing.T) {
			reset(t)
			expectAvailable(t, 100)
			if status := sell(t, quantity); status != 201 {
				t.Fatal(status)
			}
			expectAvailable(t, float64(100-quantity))
		})
	}
}

func TestAnOrderIsDeliveredSigned(t *testing.T) {
	reset(t)
	received := make(chan *http.Request, 1)
	bodies := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		bodies <- body
		received <- request
	}))
	defer server.Close()
	endpoint := first(t, "/v1/webhooks")
	api(t, "PATCH", "/v1/webhooks/"+endpoint["id"].(string), object{"targetUrl": server.URL + "/hooks"})
	sell(t, 1)
	control(t, "GET", "/wait?for=delivery&event=order.created&timeout=10s", nil)
	body, request := <-bodies, <-received
	secret, _ := hex.DecodeString(strings.Repeat("ab", 32)) // As in stockroom.fixtures.yaml.
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s", request.Header.Get("X-Service-Timestamp"), body)
	if request.Header.Get("X-Service-Signature") != "v1="+hex.EncodeToString(mac.Sum(nil)) {
		t.Fatal("the signature is wrong")
	}
	control(t, "POST", "/requests/verify", object{"operation": "orders.create", "body": object{"module": "sell"}})
}

func TestAFaultFailsOneRequest(t *testing.T) {
	reset(t)
	control(t, "POST", "/faults", object{"target": "GET /v1/stock-levels", "status": 503, "times": 1})
	if status, _ := api(t, "GET", "/v1/stock-levels", nil); status != 503 {
		t.Fatal(status)
	}
	expectAvailable(t, 100)
}
