package plat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// apiGateway matches the names of API Gateway's endpoints, with the Region.
var apiGateway = regexp.MustCompile(`\.execute-api(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$`)

// sendable matches what a header can carry.
var sendable = regexp.MustCompile(`^[\x21-\x7e]+$`)

// senderFor returns the sender that adds what gives access to a request: a token, or a signature of AWS.
func senderFor(ctx context.Context, base *url.URL, config Config) (api.HttpRequestDoer, error) {
	for name, value := range map[string]string{"token": config.Token, "API key": config.APIKey} {
		if value != "" && !sendable.MatchString(value) {
			return nil, fmt.Errorf("the %s must have visible ASCII characters only", name)
		}
	}
	headers := http.Header{}
	if config.UserAgent != "" {
		headers.Set("User-Agent", config.UserAgent)
	}
	if config.APIKey != "" {
		headers.Set("X-Api-Key", config.APIKey)
	}
	region := config.Region
	if region == "" && config.Token == "" {
		if named := apiGateway.FindStringSubmatch(base.Hostname()); named != nil {
			region = named[1]
		}
	}
	plain := &http.Client{
		Timeout: answerMax,
		// A signature is valid for one URL only, and a redirected POST becomes a GET.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if region == "" {
		if config.Token != "" {
			headers.Set("Authorization", "Bearer "+config.Token)
		}
		return &sender{client: plain, headers: headers}, nil
	}
	if config.Token != "" {
		return nil, errors.New("an API has either a token (token, PLAT_TOKEN) or a Region to sign for (region, PLAT_REGION), not both")
	}
	options := []func(*awsconfig.LoadOptions) error{awsconfig.WithRegion(region)}
	if config.Profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(config.Profile))
	}
	loaded, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("no AWS credentials to sign requests with: %w", err)
	}
	signing := &signing{credentials: loaded.Credentials, region: region, now: time.Now, signer: signer.NewSigner()}
	return &sender{client: plain, headers: headers, sign: signing.sign}, nil
}

// sender sends requests with its headers, and signs them if it has a signer.
type sender struct {
	client  *http.Client
	headers http.Header
	sign    func(*http.Request) error
}

// Do sends a request, as http.Client does.
func (s *sender) Do(request *http.Request) (*http.Response, error) {
	for name, values := range s.headers {
		request.Header[name] = values
	}
	if s.sign != nil {
		if err := s.sign(request); err != nil {
			return nil, &notSentError{err}
		}
	}
	return s.client.Do(request)
}

// signing makes signatures of AWS, version 4.
type signing struct {
	credentials aws.CredentialsProvider
	region      string
	now         func() time.Time
	signer      *signer.Signer
}

func (s *signing) sign(request *http.Request) error {
	// Asked for each request, because credentials expire. The provider keeps them until then.
	credentials, err := s.credentials.Retrieve(request.Context())
	if err != nil {
		return fmt.Errorf("no AWS credentials to sign requests with: %w", err)
	}
	var body []byte
	if request.Body != nil {
		if body, err = io.ReadAll(request.Body); err != nil {
			return err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	hash := sha256.Sum256(body)
	return s.signer.SignHTTP(request.Context(), credentials, request, hex.EncodeToString(hash[:]), "execute-api", s.region, s.now())
}
