// A receiver that verifies signatures, with nothing but Go. SIGNING_SECRET is what creating the endpoint showed.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 300 * time.Second
	bodyMaxBytes = 262_144 // No delivery is larger.
)

func isSigned(key, rawBody []byte, header http.Header) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := mac.Sum(nil)
	// One signature for each secret: "v1=…", or "v1=…,v1=…" while the secret is rotated.
	for _, part := range strings.Split(header.Get("X-Service-Signature"), ",") {
		given, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(part), "v1="))
		if err == nil && hmac.Equal(given, expected) {
			return true
		}
	}
	return false
}

func main() {
	key, err := hex.DecodeString(os.Getenv("SIGNING_SECRET"))
	if err != nil || len(key) == 0 {
		log.Fatal("Set SIGNING_SECRET to the signing secret of the endpoint")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyMaxBytes))
		var delivery struct {
			Event string
			Data  struct{ ID string }
		}
		if err != nil || !isSigned(key, rawBody, request.Header) || json.Unmarshal(rawBody, &delivery) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(delivery.Event, delivery.Data.ID)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
