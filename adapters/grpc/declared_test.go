package seakeepgrpc

import (
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// register makes a .proto file known to the program, which can be done once.
var register = sync.OnceValue(func() error {
	method := func(name string, level descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		return &descriptorpb.MethodDescriptorProto{Name: &name, InputType: proto.String(".seakeep.test.M"),
			OutputType: proto.String(".seakeep.test.M"), Options: &descriptorpb.MethodOptions{IdempotencyLevel: &level}}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("seakeep/declared_test.proto"), Package: proto.String("seakeep.test"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M")}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("S"),
			Method: []*descriptorpb.MethodDescriptorProto{
				method("Read", descriptorpb.MethodOptions_NO_SIDE_EFFECTS),
				method("Set", descriptorpb.MethodOptions_IDEMPOTENT),
				method("Add", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN)}}}}, nil)
	if err != nil {
		return err
	}
	return protoregistry.GlobalFiles.RegisterFile(file)
})

// A .proto file says it with: option idempotency_level = NO_SIDE_EFFECTS;
func TestMethodsThatSayThatTheyMayRunTwice(t *testing.T) {
	if err := register(); err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]bool{"/seakeep.test.S/Read": true, "/seakeep.test.S/Set": true,
		"/seakeep.test.S/Add": false, "/seakeep.test.S/None": false, "/seakeep.test.S": false, "/": false,
		"": false, "x": false, "//": false, "/seakeep.test.M": false} {
		for range 2 { // the second time from memory
			if got := declaredIdempotent(method); got != want {
				t.Errorf("%q: %v", method, got)
			}
		}
	}
}
